import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A session with an `HTTPCache`: section 4 of RFC 9111, as a caller sees it.
@Suite struct HTTPCacheTests {
    private static let fresh = [("Cache-Control", "max-age=60"), ("ETag", "\"1\"")]

    @Test func aFreshResponseIsServedWithItsAge() async {
        let scene = CacheScene(StubbedTransport(.response(200, Self.fresh, "one")))
        await scene.send()
        scene.advance(by: 30)
        let second = await scene.send()
        #expect(scene.text(second) == "one")
        #expect(second.head?.value(for: "age") == "30")
        #expect(scene.status(second)?.outcome == .hit)
        #expect(scene.wire.requests.count == 1)
    }

    @Test func responsesOfAURLWithAUserAreRemoved() async throws {
        let url = "https://user:pass@example.com/a#part"
        let scene = CacheScene(StubbedTransport(.response(200, Self.fresh, "one")))
        await scene.send("GET", url)
        scene.cache.removeResponses(for: try #require(URL(string: url)))
        await scene.send("GET", url)
        #expect(scene.wire.requests.count == 2)
    }

    @Test func aStaleResponseIsValidatedWithBothValidators() async {
        let fields = Self.fresh + [("Last-Modified", "Thu, 01 Jan 1970 00:00:00 GMT")]
        let scene = CacheScene(StubbedTransport(.response(200, fields, "one"), .response(304, [("B", "2")])))
        await scene.send()
        scene.advance(by: 61)
        let second = await scene.send()
        #expect(scene.text(second) == "one")
        #expect(second.head?.status == 200)
        #expect(second.head?.value(for: "b") == "2")
        #expect(scene.status(second)?.outcome == .revalidated)
        let names = Set(scene.wire.requests[1].fields.map(\.name))
        #expect(names.isSuperset(of: ["If-None-Match", "If-Modified-Since"]))
    }

    @Test func aValidatedResponseIsFreshAgain() async {
        let scene = CacheScene(StubbedTransport(.response(200, Self.fresh, "one"), .response(304)))
        await scene.send()
        scene.advance(by: 61)
        for _ in 0..<3 { #expect(await scene.get() == "one") }
        #expect(scene.wire.requests.count == 2)
    }

    /// The body of the third response, after two of which the second was requested and ended before the first one's end.
    private func third(
        first fields: [(String, String)], second: [(String, String)], answering: Int, _ more: [(String, String)]
    ) -> Data {
        let wire = SteppedTransport()
        let time = SharedTime()
        let transport = CacheTransport(
            inner: wire, cache: HTTPCache(store: MemoryCacheStore(limit: 1 << 20)) { time.now },
            policy: .useProtocolCachePolicy, queue: DispatchQueue(label: "test"))
        func get(_ fields: [(String, String)] = []) -> RecordingSink {
            let sink = RecordingSink()
            let request = HTTPRequest(method: "GET", url: "https://a/", fields: [HTTPField](fields))
            _ = transport.start(request, delivering: sink)
            return sink
        }
        _ = get()
        wire.exchanges[0].head(200, fields)
        // More than others may join.
        wire.exchanges[0].chunk(String(repeating: "1", count: 100_000))
        time.advance(by: 1)
        _ = get(second)
        wire.exchanges[1].respond(answering, fields + more, "2")
        wire.exchanges[0].end()
        return get().body
    }

    /// RFC 9111 section 4.
    @Test func aResponseThatEndsAfterANewerOneDoesNotReplaceIt() {
        let fresh = [("Cache-Control", "max-age=60")]
        #expect(third(first: fresh, second: [], answering: 200, []) == Data("2".utf8))
    }

    /// RFC 9111 section 3.4.
    @Test func aWholeResponseThatEndsAfterAPartOfItIsStored() {
        let fresh = [("Cache-Control", "max-age=60"), ("ETag", "\"1\"")]
        let part = [("Content-Range", "bytes 0-0/100000")]
        #expect(third(first: fresh, second: [("Range", "bytes=0-0")], answering: 206, part).count == 100_000)
    }

    @Test func severalVariantsAreKept() async {
        let fields = Self.fresh + [("Vary", "Accept-Language")]
        let scene = CacheScene(StubbedTransport(.response(200, fields, "en"), .response(200, fields, "de")))
        for _ in 0..<2 {
            #expect(await scene.get([("Accept-Language", "en")]) == "en")
            #expect(await scene.get([("Accept-Language", "de")]) == "de")
        }
        #expect(scene.wire.requests.count == 2)
    }

    @Test func aResponseIsUsedForItsCredentialOnly() async {
        let scene = CacheScene(StubbedTransport(.response(200, Self.fresh, "one"), .response(200, Self.fresh, "two")))
        #expect(await scene.get([("Authorization", "a")]) == "one")
        #expect(await scene.get([("Authorization", "b")]) == "two")
        #expect(await scene.get([("Authorization", "a")]) == "one")
        #expect(scene.wire.requests.count == 2)
    }

    @Test func aValidatorOfAnotherCredentialIsNotSent() async {
        let scene = CacheScene(StubbedTransport(.response(200, [("ETag", "\"1\"")], "one")))
        _ = await scene.get([("X-Api-Key", "a")])
        _ = await scene.get([("X-Api-Key", "b")])
        #expect(!scene.wire.requests[1].fields.contains("if-none-match"))
    }

    @Test func aResponseToACookieIsForThatCookieOnly() async {
        let scene = CacheScene(StubbedTransport(.response(200, Self.fresh, "one"), .response(200, Self.fresh, "two")))
        #expect(await scene.get([("Cookie", "a=1")]) == "one")
        #expect(await scene.get([("Cookie", "a=2")]) == "two")
        #expect(await scene.get() == "two")
    }

    @Test func aResponseInvalidatedWhileAHandlerDecidesIsNotStored() async {
        let handler = InvalidatingHandler()
        let scene = CacheScene(
            StubbedTransport(.response(200, Self.fresh, "one"), .response(200, Self.fresh, "two")), handler: handler)
        handler.cache.set(scene.cache)
        #expect(await scene.get() == "one")
        handler.cache.set(nil)
        #expect(await scene.get() == "two")
    }

    @Test func anUnsafeRequestInvalidates() async {
        let scene = CacheScene(StubbedTransport(.response(200, Self.fresh, "one")))
        await scene.send()
        await scene.send("POST")
        await scene.send()
        #expect(scene.wire.requests.count == 3)
    }

    @Test func headIsAnsweredByAStoredGET() async {
        let scene = CacheScene(StubbedTransport(.response(200, Self.fresh, "one")))
        await scene.send()
        let head = await scene.send("HEAD")
        #expect(head.data == nil)
        #expect(scene.wire.requests.count == 1)
    }

    @Test func headFreshensAStoredGET() async {
        let scene = CacheScene(StubbedTransport(.response(200, Self.fresh, "one"), .response(200, Self.fresh)))
        await scene.send()
        scene.advance(by: 61)
        await scene.send("HEAD")
        #expect(await scene.get() == "one")
        #expect(scene.wire.requests.count == 2)
    }

    @Test func headOfAnotherVersionForgetsAStoredGET() async {
        let scene = CacheScene(
            StubbedTransport(.response(200, Self.fresh, "one"), .response(200, [("ETag", "\"2\"")]), .response(200)))
        await scene.send()
        scene.advance(by: 61)
        await scene.send("HEAD")
        await scene.send()
        #expect(scene.wire.requests.count == 3)
        #expect(!scene.wire.requests[2].fields.contains("if-none-match"))
    }

    @Test func noStoreRemovesAnOlderResponse() async {
        let scene = CacheScene(
            StubbedTransport(
                .response(200, Self.fresh, "one"), .response(200, [("Cache-Control", "no-store")], "two"),
                .response(200, Self.fresh, "three")))
        await scene.send()
        await scene.send(fields: [("Cache-Control", "no-cache")])
        #expect(await scene.get() == "three")
    }

    /// Section 5.2.1.5: nothing of a response to such a request is stored, not even newer fields.
    @Test func aConfirmationForARequestWithNoStoreIsNotRecorded() async {
        let scene = CacheScene(StubbedTransport(.response(200, Self.fresh, "one"), .response(304, Self.fresh)))
        await scene.send()
        scene.advance(by: 61)
        #expect(await scene.get([("Cache-Control", "no-store")]) == "one")
        #expect(await scene.get() == "one")
        #expect(scene.wire.requests.count == 3)
    }

    /// Section 4.1: a response that varies by everything answers no other request.
    @Test func aConfirmationThatVariesByEverythingForgetsTheResponse() async {
        let scene = CacheScene(
            StubbedTransport(
                .response(200, Self.fresh, "one"), .response(304, Self.fresh + [("Vary", "*")]), .response(200)))
        await scene.send()
        scene.advance(by: 61)
        #expect(await scene.get() == "one")
        await scene.send()
        #expect(scene.wire.requests.count == 3)
        #expect(scene.wire.requests.last?.fields.contains("if-none-match") == false)
    }

    @Test func aRequestWithABodyIsAnsweredByTheServerOnly() {
        let wire = SteppedTransport()
        let transport = CacheTransport(
            inner: wire, cache: .memory(), policy: .useProtocolCachePolicy, queue: DispatchQueue(label: "test"))
        let bodies: [TransportBody] = [.none, .data(Data("a".utf8)), .data(Data("b".utf8)), .data(Data("a".utf8))]
        for (index, body) in bodies.enumerated() {
            let request = HTTPRequest(method: "GET", url: "https://example.com/a", body: body)
            _ = transport.start(request, delivering: RecordingSink())
            #expect(wire.exchanges.count == index + 1)
            wire.exchanges[index].respond(200, Self.fresh, "\(index)")
        }
        #expect(transport.cache.store.responses(for: "https://example.com/a").count == 1)
    }

    @Test func onlyIfCachedIsA504WithoutAStoredResponse() async {
        let scene = CacheScene(StubbedTransport(.response(200)))
        let outcome = await scene.send(fields: [("Cache-Control", "only-if-cached")])
        #expect(outcome.head?.status == 504)
        #expect(scene.wire.requests.isEmpty)
    }

    @Test func maxStaleAcceptsAStaleResponse() async {
        let scene = CacheScene(StubbedTransport(.response(200, Self.fresh, "one")))
        await scene.send()
        scene.advance(by: 70)
        let second = await scene.send(fields: [("Cache-Control", "max-stale=10")])
        #expect(scene.status(second)?.outcome == .stale)
        scene.advance(by: 1)
        await scene.send(fields: [("Cache-Control", "max-stale=10")])
        #expect(scene.wire.requests.count == 2)
    }

    @Test func minFreshRefusesAResponseThatIsStaleSoon() async {
        let scene = CacheScene(StubbedTransport(.response(200, Self.fresh, "one")))
        await scene.send()
        scene.advance(by: 30)
        await scene.send(fields: [("Cache-Control", "min-fresh=31")])
        #expect(scene.wire.requests.count == 2)
    }

    @Test func clearSiteDataForgetsTheOriginOnly() async {
        let clear = [("Clear-Site-Data", "\"cache\"")]
        let scene = CacheScene(
            StubbedTransport(.response(200, Self.fresh), .response(200, Self.fresh), .response(200, clear)))
        await scene.send("GET", "https://example.com/a")
        await scene.send("GET", "https://other.example/a")
        await scene.send("GET", "https://example.com/b")
        await scene.send("GET", "https://other.example/a")
        #expect(scene.wire.requests.count == 3)
        await scene.send("GET", "https://example.com/a")
        #expect(scene.wire.requests.count == 4)
    }

    @Test(arguments: ["https://example.com", "https://other.example"])
    func clearSiteDataReachesResponsesInTransit(origin: String) {
        let wire = SteppedTransport()
        let cache = HTTPCache.memory()
        let transport = CacheTransport(
            inner: wire, cache: cache, policy: .useProtocolCachePolicy, queue: DispatchQueue(label: "test"))
        for url in ["https://example.com/a", origin + "/logout"] {
            _ = transport.start(HTTPRequest(method: "GET", url: url), delivering: RecordingSink())
        }
        wire.exchanges[1].respond(200, [("Clear-Site-Data", "\"cache\"")])
        wire.exchanges[0].respond(200, Self.fresh, "one")
        let isKept = origin == "https://other.example"
        #expect(cache.store.responses(for: "https://example.com/a").count == (isKept ? 1 : 0))
    }

    @Test func removingAllReachesResponsesInTransit() {
        let wire = SteppedTransport()
        let cache = HTTPCache.memory()
        let transport = CacheTransport(
            inner: wire, cache: cache, policy: .useProtocolCachePolicy, queue: DispatchQueue(label: "test"))
        _ = transport.start(HTTPRequest(method: "GET", url: "https://example.com/a"), delivering: RecordingSink())
        cache.removeAll()
        wire.exchanges[0].respond(200, Self.fresh, "one")
        #expect(cache.size == 0)
    }

    /// RFC 9111 section 4.2.3: the age on arrival counts.
    @Test func aResponseThatAHandlerChangesKeepsItsAge() async {
        let handler = ResponseCacher(
            behavior: .modify { _, response in
                CachedURLResponse(response: response.response, data: Data("changed".utf8))
            })
        let scene = CacheScene(
            StubbedTransport(.response(200, Self.fresh + [("Age", "50")], "one"), .response(200, Self.fresh, "two")),
            handler: handler)
        await scene.send()
        #expect(await scene.get() == "changed")
        scene.advance(by: 20)
        #expect(await scene.get() == "two")
    }

    @Test(arguments: [4 << 20, 4 << 20 + 1]) func aHandlerGetsBodiesOfAtMostFourMebibytes(count: Int) async {
        let asked = Lock(0)
        let handler = ResponseCacher(
            behavior: .modify { _, response in
                asked.withLock { $0 += 1 }
                return response
            })
        let scene = CacheScene(
            StubbedTransport(.response(200, Self.fresh, String(repeating: "a", count: count))), limit: 1 << 30,
            handler: handler)
        await scene.send()
        await scene.send()
        let isAllowed = count == 4 << 20
        #expect(scene.wire.requests.count == (isAllowed ? 1 : 2))
        #expect(asked.value == (isAllowed ? 1 : 0))
    }

    @Test func daysAreSeconds() {
        #expect(Duration.days(7) == .seconds(604_800))
        #expect(Duration.days(.infinity) == .century)
        #expect(Duration.days(.nan) == .zero)
    }

    @Test func aLongURLIsNotAKey() async {
        let scene = CacheScene(StubbedTransport(.response(200, Self.fresh, "one")))
        let url = "https://example.com/" + String(repeating: "a", count: 1 << 20)
        for _ in 0..<2 { await scene.send("GET", url) }
        #expect(scene.wire.requests.count == 2)
        #expect(scene.cache.size == 0)
    }

    @Test func aLongResponseIsNotKept() async {
        let scene = CacheScene(
            StubbedTransport(.response(200, Self.fresh, String(repeating: "a", count: 3000))), limit: 10_000)
        for _ in 0..<2 { #expect(await scene.get().count == 3000) }
        #expect(scene.wire.requests.count == 2)
    }

    @Test(.timeLimit(.minutes(1)), arguments: [1, 2]) func requestsAreReleasedAfterTheirEnd(count: Int) async throws {
        let scene = CacheScene(StubbedTransport(.response(200, [("Cache-Control", "no-store")], "one")))
        weak var request: DataRequest?
        do {
            let made = (0..<count).map { _ in scene.session.request(URLRequest.to("https://example.com/a")) }
            request = made[count - 1]
            for request in made { _ = await request.outcome() }
        }
        // The work after the end may still be on its way.
        try await eventually { request == nil }
    }
}

/// Allows a response to be stored after another request has invalidated it.
private final class InvalidatingHandler: CachedResponseHandler {
    let cache = Lock<HTTPCache?>(nil)

    func dataTask(
        _ request: DataRequest, willCacheResponse response: CachedURLResponse,
        completion: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        cache.withLock { $0 }?.invalidate("https://example.com/a")
        completion(response)
    }
}
