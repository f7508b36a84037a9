import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

/// Parts of responses: section 3.3 and 3.4 of RFC 9111.
@Suite struct StoredPartTests {
    private let fresh = [("Cache-Control", "max-age=60"), ("ETag", "\"1\"")]

    private func part(_ range: String, _ body: String, tag: String = "\"1\"") -> StubbedTransport.Answer {
        .response(206, [("Cache-Control", "max-age=60"), ("ETag", tag), ("Content-Range", "bytes \(range)")], body)
    }

    @Test(arguments: [
        ("bytes=0-1", "01", "bytes 0-1/10"), ("bytes=8-", "89", "bytes 8-9/10"), ("bytes=-1", "9", "bytes 9-9/10"),
    ])
    func aRangeOfAStoredResponseIsServed(range: String, text: String, field: String) async {
        let scene = CacheScene(StubbedTransport(.response(200, fresh, "0123456789")))
        await scene.send()
        let outcome = await scene.send(fields: [("Range", range)])
        #expect(outcome.head?.status == 206)
        #expect(scene.text(outcome) == text)
        #expect(outcome.head?.value(for: "content-range") == field)
        #expect(outcome.head?.contentLength == Int64(text.utf8.count))
        #expect(scene.wire.requests.count == 1)
    }

    @Test func aRangeOfAStoredPartIsServed() async {
        let scene = CacheScene(StubbedTransport(part("4-8/10", "45678")))
        _ = await scene.get([("Range", "bytes=4-8")])
        #expect(await scene.get([("Range", "bytes=5-6")]) == "56")
        #expect(scene.wire.requests.count == 1)
    }

    @Test func aPartDoesNotAnswerARequestForTheWhole() async {
        let scene = CacheScene(StubbedTransport(part("4-8/10", "45678"), .response(200, fresh, "0123456789")))
        _ = await scene.get([("Range", "bytes=4-8")])
        #expect(await scene.get() == "0123456789")
    }

    @Test func theRestOfAFirstPartIsLoaded() async {
        let scene = CacheScene(StubbedTransport(part("0-3/10", "0123"), part("4-9/10", "456789")))
        _ = await scene.get([("Range", "bytes=0-3")])
        let whole = await scene.send()
        #expect(whole.head?.status == 200)
        #expect(whole.head?.contentLength == 10)
        #expect(scene.text(whole) == "0123456789")
        #expect(scene.wire.requests[1].fields.values(for: "range") == ["bytes=4-"])
        #expect(scene.wire.requests[1].fields.values(for: "if-range") == ["\"1\""])
        #expect(await scene.get() == "0123456789")
        #expect(scene.wire.requests.count == 2)
    }

    @Test func aStreamWhoseHeadIsBeingDecidedGetsTheFirstPart() async {
        let wire = SteppedTransport(deliversWhereCodeMayBlock: false)
        let cache = HTTPCache(store: MemoryCacheStore(limit: 1 << 20)) { 1_000_000_000 }
        let session = Session(startRequestsImmediately: false, cache: cache, transport: wire)
        var ranged = URLRequest.to("https://example.com/a")
        ranged.setValue("bytes=0-3", forHTTPHeaderField: "Range")
        let range = session.request(ranged)
        range.resume()
        let fields = [("Cache-Control", "max-age=60"), ("ETag", "\"1\"")]
        wire.exchanges[0].respond(206, fields + [("Content-Range", "bytes 0-3/10")], "0123")
        _ = await range.outcome()
        let request = session.request(URLRequest.to("https://example.com/a")).validate { _, _, _ in .success(()) }
        let stream = request.streamResponse()
        request.resume()
        let demand = wire.exchanges[1].head(206, fields + [("Content-Range", "bytes 4-9/10")])
        #expect(demand == .wait)
        session.rootQueue.sync {}
        wire.exchanges[1].chunk("456789")
        wire.exchanges[1].end()
        var body = Data()
        while case .bytes(let chunk) = await stream.next(of: request) { body += chunk }
        #expect(String(decoding: body, as: UTF8.self) == "0123456789")
    }

    @Test(arguments: [("4567", .truncated), ("456789more", .protocolViolation)] as [(String, TransportFailure.Kind)])
    func aRestOfAnotherLengthThanItsRangeIsAnError(rest: String, kind: TransportFailure.Kind) async {
        let scene = CacheScene(
            StubbedTransport(part("0-3/10", "0123"), part("4-9/10", rest), .response(200, fresh, "0123456789")))
        _ = await scene.get([("Range", "bytes=0-3")])
        #expect(await scene.send().error?.transportFailure?.kind == kind)
        #expect(await scene.get() == "0123456789")
        #expect(scene.wire.requests.count == 3)
    }

    @Test func theRestOfAnotherVersionIsNotAdded() async {
        let scene = CacheScene(
            StubbedTransport(
                part("0-3/10", "0123"), part("4-9/10", "ghijkl", tag: "\"2\""), .response(200, fresh, "abcdefghij")))
        _ = await scene.get([("Range", "bytes=0-3")])
        #expect(await scene.get() == "abcdefghij")
        #expect(!scene.wire.requests[2].fields.contains("range"))
    }

    @Test func aRestThatIsDiscardedMayBeCutShort() async {
        let rest = StubbedTransport.Answer.cut(206, [("ETag", "\"2\""), ("Content-Range", "bytes 4-9/10")], "gh")
        let scene = CacheScene(StubbedTransport(part("0-3/10", "0123"), rest, .response(200, fresh, "abcdefghij")))
        _ = await scene.get([("Range", "bytes=0-3")])
        #expect(await scene.get() == "abcdefghij")
    }

    /// Section 3 applies to the 206, and section 5.2.1.5 to the request.
    @Test(
        arguments: [
            ([("Cache-Control", "no-store")], []), ([("Vary", "*")], []), ([], [("Cache-Control", "no-store")]),
        ] as [([(String, String)], [(String, String)])])
    func aWholeThatMayNotBeStoredIsOnlyDelivered(answer: [(String, String)], asking: [(String, String)]) async {
        let rest = StubbedTransport.Answer.response(
            206, [("ETag", "\"1\""), ("Content-Range", "bytes 4-9/10")] + answer, "456789")
        let scene = CacheScene(StubbedTransport(part("0-3/10", "0123"), rest, .response(200, fresh, "new")))
        _ = await scene.get([("Range", "bytes=0-3")])
        let whole = await scene.send(fields: asking)
        #expect(scene.text(whole) == "0123456789")
        #expect(scene.status(whole)?.isStored == false)
        #expect(await scene.get() == "new")
        #expect(scene.wire.requests.count == 3)
    }

    /// Section 4.2.3: the age on arrival counts.
    @Test func aCombinedResponseKeepsItsAge() async {
        func part(_ range: String, _ body: String) -> StubbedTransport.Answer {
            .response(206, fresh + [("Age", "50"), ("Content-Range", "bytes \(range)")], body)
        }
        let scene = CacheScene(
            StubbedTransport(part("0-3/10", "0123"), part("4-9/10", "456789"), .response(200, fresh, "abcdefghij")))
        for range in ["bytes=0-3", "bytes=4-9"] { _ = await scene.get([("Range", range)]) }
        scene.advance(by: 20)
        #expect(await scene.get() == "abcdefghij")
    }

    @Test func aPartWithoutAStrongValidatorIsNotCompleted() async {
        let scene = CacheScene(
            StubbedTransport(part("0-3/10", "0123", tag: "W/\"1\""), .response(200, fresh, "0123456789")))
        _ = await scene.get([("Range", "bytes=0-3")])
        _ = await scene.get()
        #expect(!scene.wire.requests[1].fields.contains("range"))
    }

    @Test func aPartThatIsShorterThanItSaysIsNotStored() async {
        let scene = CacheScene(StubbedTransport(part("4-9/10", "45678")))
        for _ in 0..<2 { #expect(await scene.get([("Range", "bytes=-5")]) == "45678") }
        #expect(scene.wire.requests.count == 2)
    }

    @Test func adjacentPartsAreCombined() async {
        let scene = CacheScene(StubbedTransport(part("0-3/10", "0123"), part("4-9/10", "456789")))
        _ = await scene.get([("Range", "bytes=0-3")])
        _ = await scene.get([("Range", "bytes=4-9")])
        #expect(await scene.get() == "0123456789")
        #expect(scene.wire.requests.count == 2)
    }

    @Test func aCodedResponseIsNotCut() async {
        let scene = CacheScene(
            StubbedTransport(.response(200, fresh + [("Content-Encoding", "gzip")], "0123456789"), part("0-1/8", "ab")))
        _ = await scene.get()
        #expect(await scene.get([("Range", "bytes=0-1")]) == "ab")
    }

    @Test(arguments: ["bytes=0-1,3-4", "lines=1-2", "nonsense"])
    func anUnknownRangeBypassesTheCache(range: String) async {
        let scene = CacheScene(StubbedTransport(.response(200, fresh, "0123456789")))
        _ = await scene.get()
        _ = await scene.get([("Range", range)])
        #expect(scene.wire.requests.count == 2)
    }

    @Test func partsInFilesAreJoined() async throws {
        let directory = try TestDirectory()
        let store = DiskCacheStore(at: directory.url.path, limit: 64 << 20, encryption: nil) { _ in }
        let body = String(repeating: "0123456789", count: 30_000)
        let scene = CacheScene(
            StubbedTransport(
                part("0-199999/300000", String(body.prefix(200_000))),
                part("150000-299999/300000", String(body.suffix(150_000)))), store: store)
        _ = await scene.get([("Range", "bytes=0-199999")])
        _ = await scene.get([("Range", "bytes=150000-")])
        // The parts are joined after the end of the request.
        try await eventually { store.responses(for: "https://example.com/a").first?.part == nil }
        #expect(await (scene.get() == body) == true)
        #expect(scene.wire.requests.count == 2)
        store.flush()
        #expect(directory.names.filter { $0.hasSuffix(".body") }.count == 1)
    }
}
