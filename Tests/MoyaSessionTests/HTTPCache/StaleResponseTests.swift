import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Stale responses: RFC 5861, and section 4.2.4 of RFC 9111.
@Suite struct StaleResponseTests {
    private func fields(_ more: String = "") -> [(String, String)] {
        [("Cache-Control", "max-age=60\(more)"), ("ETag", "\"1\"")]
    }

    @Test(arguments: [.connect, .dns, .timeout(.total), .reset, .truncated] as [TransportFailure.Kind])
    func aStaleResponseReplacesAFailure(kind: TransportFailure.Kind) async {
        let scene = CacheScene(
            StubbedTransport(.response(200, fields(", stale-if-error=100"), "one"), .failure(kind)))
        await scene.send()
        scene.advance(by: 100)
        let second = await scene.send()
        #expect(second.error == nil)
        #expect(scene.text(second) == "one")
        #expect(scene.status(second)?.outcome == .stale)
        #expect(second.head?.value(for: "age") == "100")
    }

    @Test(
        arguments: [.tls(.refusedByPolicy), .tls(.untrusted), .tls(.clientCertificate), .unsupported, .requestBody]
            as [TransportFailure.Kind])
    func aStaleResponseHidesNoRefusal(kind: TransportFailure.Kind) async {
        let scene = CacheScene(
            StubbedTransport(.response(200, fields(), "one"), .failure(kind)), staleIfError: .seconds(100))
        await scene.send()
        scene.advance(by: 100)
        #expect(await scene.send().error != nil)
    }

    @Test(arguments: [500, 502, 503, 504])
    func aStaleResponseReplacesAServerError(status: Int) async {
        let scene = CacheScene(
            StubbedTransport(.response(200, fields(), "one"), .response(status, [], "broken")),
            staleIfError: .seconds(100))
        await scene.send()
        scene.advance(by: 100)
        let second = await scene.send()
        #expect(second.head?.status == 200)
        #expect(scene.text(second) == "one")
        #expect(scene.status(second)?.forwardStatus == status)
    }

    @Test func aStaleResponseDoesNotReplaceARequestError() async {
        let scene = CacheScene(
            StubbedTransport(.response(200, fields(), "one"), .response(404)), staleIfError: .seconds(100))
        await scene.send()
        scene.advance(by: 100)
        #expect(await scene.send().head?.status == 404)
    }

    @Test func aStaleResponseIsNotUsedAfterItsTime() async {
        let scene = CacheScene(
            StubbedTransport(.response(200, fields(", stale-if-error=9"), "one"), .failure(.connect)))
        await scene.send()
        scene.advance(by: 70)
        #expect(await scene.send().error != nil)
    }

    @Test func aFailureIsNotReplacedByDefault() async {
        let scene = CacheScene(StubbedTransport(.response(200, fields(), "one"), .failure(.connect)))
        await scene.send()
        scene.advance(by: 61)
        #expect(await scene.send().error != nil)
    }

    @Test(arguments: ["must-revalidate", "no-cache"])
    func aResponseThatMustBeValidatedReplacesNoError(directive: String) async {
        let scene = CacheScene(
            StubbedTransport(.response(200, fields(", \(directive)"), "one"), .failure(.connect)),
            staleIfError: .seconds(100))
        await scene.send()
        scene.advance(by: 61)
        #expect(await scene.send().error != nil)
    }

    @Test func aCancelledRequestIsCancelled() async throws {
        let wire = SteppedTransport()
        let cache = HTTPCache(store: MemoryCacheStore(limit: 1 << 20), staleIfError: .seconds(100))
        let session = Session(startRequestsImmediately: false, cache: cache, transport: wire)
        async let first = session.request(URLRequest.to("https://example.com/")).outcome()
        try await eventually { !wire.exchanges.isEmpty }
        wire.exchanges[0].respond(200, [("Cache-Control", "max-age=0")], "one")
        _ = await first
        let request = session.request(URLRequest.to("https://example.com/"))
        request.resume()
        request.cancel()
        #expect(await request.outcome().error?.isExplicitlyCancelledError == true)
    }

    @Test func aStaleResponseIsUsedWhileItIsValidated() async {
        let scene = CacheScene(
            StubbedTransport(
                .response(200, fields(", stale-while-revalidate=100"), "one"), .response(200, fields(), "two")))
        await scene.send()
        scene.advance(by: 100)
        let second = await scene.send()
        #expect(scene.text(second) == "one")
        #expect(scene.status(second)?.detail == "stale-while-revalidate")
        #expect(await scene.get() == "two")
        #expect(scene.wire.requests.count == 2)
    }

    @Test func aHandlerDecidesAboutTheResponseToAValidation() async {
        let decisions = Lock(0)
        let handler = ResponseCacher(
            behavior: .modify { _, response in
                let count = decisions.withLock { count in
                    count += 1
                    return count
                }
                return CachedURLResponse(response: response.response, data: Data("changed \(count)".utf8))
            })
        let scene = CacheScene(
            StubbedTransport(
                .response(200, fields(", stale-while-revalidate=100"), "one"), .response(200, fields(), "two")),
            handler: handler)
        await scene.send()
        scene.advance(by: 100)
        #expect(await scene.get() == "changed 1")
        #expect(await scene.get() == "changed 2")
        #expect(decisions.value == 2)
        #expect(scene.wire.requests.count == 2)
    }

    @Test func aValidationThatOutlivesItsRequestIsNoEvent() async {
        let wire = SteppedTransport()
        let queue = DispatchQueue(label: "events")
        let monitor = ClosureEventMonitor(queue: queue)
        let stored = Lock(0)
        let decisions = Lock(0)
        monitor.requestWillCacheResponse = { _ in stored.withLock { $0 += 1 } }
        let handler = ResponseCacher(
            behavior: .modify { _, response in
                decisions.withLock { $0 += 1 }
                return response
            })
        let session = Session(
            startRequestsImmediately: false, cachedResponseHandler: handler,
            cache: HTTPCache(store: MemoryCacheStore(limit: 1 << 20)), eventMonitors: [monitor], transport: wire)
        for _ in 0..<2 {
            let request = session.request(URLRequest.to("https://example.com/")).resume()
            if wire.exchanges.count == 1 {
                wire.exchanges[0].respond(200, [("Cache-Control", "max-age=0, stale-while-revalidate=100")], "one")
            }
            _ = await request.outcome()
        }
        wire.exchanges[1].respond(200, [("Cache-Control", "max-age=60")], "two")
        queue.sync {}
        #expect(decisions.value == 2)
        #expect(stored.value == 1)
    }

    @Test func theRequestsHandlerDecidesAboutAValidationThatOutlivesIt() async {
        let wire = SteppedTransport()
        let session = Session(
            startRequestsImmediately: false, cache: HTTPCache(store: MemoryCacheStore(limit: 1 << 20)), transport: wire)
        func get() -> DataRequest {
            session.request(URLRequest.to("https://example.com/")).cacheResponse(using: .doNotCache)
        }
        let first = session.request(URLRequest.to("https://example.com/")).resume()
        wire.exchanges[0].respond(200, [("Cache-Control", "max-age=0, stale-while-revalidate=100")], "one")
        _ = await first.outcome()
        #expect(await get().outcome().data == Data("one".utf8))
        wire.exchanges[1].respond(200, [("Cache-Control", "max-age=60")], "two")
        // The second response was not stored, so that the server is asked again.
        let third = get().resume()
        #expect(wire.exchanges.count == 3)
        third.cancel()
    }

    @Test func aValidationInFlightIsNotRepeated() async {
        let scene = CacheScene(
            StubbedTransport(.response(200, fields(", stale-while-revalidate=100"), "one"), .silence))
        await scene.send()
        scene.advance(by: 100)
        for _ in 0..<5 { #expect(await scene.get() == "one") }
        #expect(scene.wire.requests.count == 2)
    }
}
