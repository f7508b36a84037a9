import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Callers that join while the body arrives, and responses that are for one caller.
extension CoalescedExchangeTests {
    @Test func aRequestDuringTheBodyGetsAllOfIt() {
        let transport = transport()
        let sinks = (0..<4).map { _ in RecordingSink() }
        _ = transport.start(request(), delivering: sinks[0])
        wire.exchanges[0].head(200, Self.fresh)
        for index in 1..<4 {
            _ = transport.start(request(), delivering: sinks[index])
            wire.exchanges[0].chunk("\(index)")
        }
        wire.exchanges[0].end()
        #expect(wire.exchanges.count == 1)
        #expect(sinks.map(\.text) == ["123", "123", "123", "123"])
        #expect(sinks.map(\.ends) == [1, 1, 1, 1])
        #expect(sinks.map { $0.status?.isCollapsed } == [false, true, true, true])
    }

    @Test func aResponseHasItsAgeForARequestDuringTheBody() {
        let transport = transport()
        _ = transport.start(request(), delivering: RecordingSink())
        wire.exchanges[0].head(200, Self.fresh)
        time.advance(by: 7)
        let sink = RecordingSink()
        _ = transport.start(request(), delivering: sink)
        #expect(sink.head?.values(for: "age") == ["7"])
    }

    @Test func aRequestAfterAResponseBecameStaleIsSent() {
        let transport = transport()
        _ = transport.start(request(), delivering: RecordingSink())
        wire.exchanges[0].head(200, Self.fresh)
        time.advance(by: 61)
        _ = transport.start(request(), delivering: RecordingSink())
        #expect(wire.exchanges.count == 2)
    }

    @Test(arguments: ["no-store", "no-cache", "max-age=0"])
    func aRequestDuringABodyForOneRequestIsSent(directive: String) {
        let transport = transport()
        _ = transport.start(request(), delivering: RecordingSink())
        wire.exchanges[0].head(200, [("Cache-Control", directive)])
        _ = transport.start(request(), delivering: RecordingSink())
        #expect(wire.exchanges.count == 2)
    }

    @Test func aRequestFarIntoTheBodyIsSent() {
        let transport = transport()
        let first = RecordingSink()
        _ = transport.start(request(), delivering: first)
        wire.exchanges[0].head(200, Self.fresh)
        wire.exchanges[0].chunk(String(repeating: "a", count: 65_537))
        _ = transport.start(request(), delivering: RecordingSink())
        #expect(wire.exchanges.count == 2)
        wire.exchanges[0].end()
        #expect(first.body.count == 65_537)
    }

    @Test func aRequestDuringTheBodyOfAnInvalidatedResponseIsSent() {
        let transport = transport()
        _ = transport.start(request(), delivering: RecordingSink())
        wire.exchanges[0].head(200, Self.fresh)
        transport.cache.removeAll()
        _ = transport.start(request(), delivering: RecordingSink())
        #expect(wire.exchanges.count == 2)
    }

    @Test func aThousandEqualRequestsOfASessionAreOneExchange() async throws {
        let (starts, started) = AsyncStream.makeStream(of: String.self)
        let session = Session(
            cache: .memory(), transport: AnnouncingTransport(inner: wire) { started.yield($0) })
        let requests = (0..<1000).map { _ in session.request("https://example.com/a").resume() }
        // The session starts its requests in order.
        let last = session.request("https://example.com/b").resume()
        for await url in starts where url.hasSuffix("/b") { break }
        #expect(wire.exchanges.all.map { $0.request.url.suffix(2) } == ["/a", "/b"])
        wire.exchanges[0].respond(200, Self.fresh, "one")
        for request in requests { #expect(try await request.serializingString().value == "one") }
        last.cancel()
    }

    @Test(
        arguments: [
            [("Cache-Control", "no-store")], [("Cache-Control", "no-cache")],
            [("Cache-Control", "max-age=60, no-cache=\"a\"")], fresh + [("Vary", "*")],
        ] as [[(String, String)]])
    func aConfirmationForOneRequestIsRepeatedByTheOthers(fields: [(String, String)]) {
        let transport = transport()
        _ = transport.start(request(), delivering: RecordingSink())
        wire.exchanges[0].respond(200, Self.fresh + [("ETag", "\"1\"")], "one")
        time.advance(by: 61)
        let sinks = [RecordingSink(), RecordingSink()]
        for sink in sinks { _ = transport.start(request(), delivering: sink) }
        #expect(wire.exchanges.count == 2)
        wire.exchanges[1].respond(304, fields + [("ETag", "\"1\"")])
        #expect(wire.exchanges.count == 3)
    }

    @Test func aConfirmationThatTookTooLongIsRepeatedByTheOthers() {
        let transport = transport()
        _ = transport.start(request(), delivering: RecordingSink())
        wire.exchanges[0].respond(200, Self.fresh + [("ETag", "\"1\"")], "one")
        time.advance(by: 100)
        let sinks = [RecordingSink(), RecordingSink()]
        for sink in sinks { _ = transport.start(request(), delivering: sink) }
        time.advance(by: 61)
        wire.exchanges[1].respond(304, Self.fresh + [("ETag", "\"1\"")])
        #expect(sinks.map(\.ends) == [1, 0])
        #expect(wire.exchanges.count == 3)
    }

    @Test(arguments: ["no-store", "no-cache", "max-age=0", "max-age=60, no-cache=\"a\""])
    func aResponseForOneRequestIsLoadedByTheOthers(directive: String) {
        let transport = transport()
        let sinks = [RecordingSink(), RecordingSink()]
        for sink in sinks { _ = transport.start(request(), delivering: sink) }
        wire.exchanges[0].respond(200, [("Cache-Control", directive)], "one")
        #expect(wire.exchanges.count == 2)
        wire.exchanges[1].respond(200, [("Cache-Control", directive)], "two")
        #expect(sinks.map(\.text) == ["one", "two"])
    }

    @Test(arguments: ["no-store", "no-cache", "max-age=0"])
    func requestsAfterAResponseForOneDoNotWaitForEachOther(directive: String) {
        let transport = transport()
        _ = transport.start(request(), delivering: RecordingSink())
        wire.exchanges[0].respond(200, [("Cache-Control", directive)], "one")
        for _ in 0..<3 { _ = transport.start(request(), delivering: RecordingSink()) }
        #expect(wire.exchanges.count == 4)
    }

    @Test func requestsAfterATimeoutShareAnExchange() {
        let transport = transport()
        for _ in 0..<2 { _ = transport.start(request(), delivering: RecordingSink()) }
        wire.exchanges[0].end(.timeout(.total))
        wire.exchanges[1].end(.connect)
        for _ in 0..<3 { _ = transport.start(request(), delivering: RecordingSink()) }
        #expect(wire.exchanges.count == 3)
    }

    @Test func aResponseForACallerThatLeftIsForNoOther() {
        let transport = transport()
        let sinks = [RecordingSink(), RecordingSink()]
        let handles = sinks.map { transport.start(request(), delivering: $0) }
        handles[0].cancel()
        wire.exchanges[0].head(200, [("Cache-Control", "no-store")])
        #expect(wire.exchanges[0].cancellations == 1)
        wire.exchanges[1].respond(200, [("Cache-Control", "no-store")], "two")
        #expect(sinks.map(\.text) == ["", "two"])
        #expect(sinks.map(\.ends) == [1, 1])
    }

    @Test func aResponseThatWasOnItsWayIsNotStoredAfterAnInvalidation() {
        let transport = transport()
        _ = transport.start(request(), delivering: RecordingSink())
        _ = transport.start(HTTPRequest(method: "POST", url: "https://example.com/a"), delivering: RecordingSink())
        wire.exchanges[1].respond(200)
        _ = transport.start(request(), delivering: RecordingSink())
        #expect(wire.exchanges.count == 3)
        wire.exchanges[2].respond(200, [("Cache-Control", "no-store")])
        wire.exchanges[0].respond(200, Self.fresh, "old")
        _ = transport.start(request(), delivering: RecordingSink())
        #expect(wire.exchanges.count == 4)
    }

    @Test func aFailureIsDeliveredToAll() {
        let transport = transport()
        let sinks = [RecordingSink(), RecordingSink()]
        for sink in sinks { _ = transport.start(request(), delivering: sink) }
        wire.exchanges[0].end(.connect)
        #expect(sinks.allSatisfy { $0.ends == 1 && $0.failure == .connect })
    }

    @Test func aLaterRequestHasItsTimeAfterTheFirstTimedOut() {
        let transport = transport()
        let sinks = [RecordingSink(), RecordingSink()]
        for sink in sinks { _ = transport.start(request(), delivering: sink) }
        wire.exchanges[0].end(.timeout(.total))
        #expect(sinks.map(\.ends) == [1, 0])
        wire.exchanges[1].respond(200, Self.fresh, "two")
        #expect(sinks[1].text == "two")
    }

    @Test func aWaitingCallerBlocksNoOther() {
        let transport = transport()
        let sinks = [RecordingSink(), RecordingSink()]
        let handles = sinks.map { transport.start(request(), delivering: $0) }
        wire.exchanges[0].head(200, Self.fresh)
        handles[0].pause()
        wire.exchanges[0].chunk("one")
        wire.exchanges[0].end()
        #expect(sinks.map(\.text) == ["", "one"])
        handles[0].resume()
        #expect(sinks.map(\.text) == ["one", "one"])
        #expect(sinks.map(\.ends) == [1, 1])
    }

    @Test func theExchangePausesIfAllCallersPause() {
        let transport = transport()
        let handles = (0..<2).map { _ in transport.start(request(), delivering: RecordingSink()) }
        handles[0].pause()
        #expect(wire.exchanges[0].pauses == 0)
        handles[1].pause()
        #expect(wire.exchanges[0].pauses == 1)
        let known = wire.exchanges[0].resumptions
        handles[1].resume()
        #expect(wire.exchanges[0].resumptions == known + 1)
    }
}

/// Announces the URL of each exchange once it has started.
private struct AnnouncingTransport: Transport {
    let inner: SteppedTransport
    let announce: @Sendable (String) -> Void

    func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
        defer { announce(request.url) }
        return inner.start(request, delivering: sink)
    }
}
