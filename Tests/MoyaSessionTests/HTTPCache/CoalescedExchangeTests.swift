import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Equal requests in flight, which share one exchange.
@Suite struct CoalescedExchangeTests {
    private static let fresh = [("Cache-Control", "max-age=60")]
    private let wire = SteppedTransport()

    private func transport() -> CacheTransport {
        CacheTransport(
            inner: wire, cache: .memory(), policy: .useProtocolCachePolicy, queue: DispatchQueue(label: "test"))
    }

    private func request(_ fields: [(String, String)] = [], timeouts: Timeouts = Timeouts()) -> HTTPRequest {
        HTTPRequest(method: "GET", url: "https://example.com/a", fields: [HTTPField](fields), timeouts: timeouts)
    }

    @Test func aThousandEqualRequestsAreOneExchange() {
        let transport = transport()
        let sinks = (0..<1000).map { _ in RecordingSink() }
        for sink in sinks { _ = transport.start(request(), delivering: sink) }
        #expect(wire.exchanges.count == 1)
        wire.exchanges[0].respond(200, Self.fresh, "one")
        #expect(sinks.allSatisfy { $0.text == "one" && $0.ends == 1 && $0.failure == nil })
    }

    @Test func theStatusSaysThatAResponseWasShared() {
        let transport = transport()
        let sinks = [RecordingSink(), RecordingSink()]
        for sink in sinks { _ = transport.start(request(), delivering: sink) }
        wire.exchanges[0].respond(200, Self.fresh, "one")
        #expect(sinks.map { $0.status?.isCollapsed } == [false, true])
    }

    @Test func anySubsetOfRequestsMayBeCancelled() {
        let transport = transport()
        let sinks = (0..<10).map { _ in RecordingSink() }
        let handles = sinks.map { transport.start(request(), delivering: $0) }
        for index in [0, 3, 9] { handles[index].cancel() }
        wire.exchanges[0].respond(200, Self.fresh, "one")
        for (index, sink) in sinks.enumerated() {
            #expect(sink.ends == 1)
            #expect(sink.text == ([0, 3, 9].contains(index) ? "" : "one"))
        }
        #expect(wire.exchanges[0].cancellations == 0)
    }

    @Test func theLastCancellationCancelsTheExchange() {
        let transport = transport()
        let handles = (0..<3).map { _ in transport.start(request(), delivering: RecordingSink()) }
        for handle in handles { handle.cancel() }
        #expect(wire.exchanges[0].cancellations == 1)
        _ = transport.start(request(), delivering: RecordingSink())
        #expect(wire.exchanges.count == 2)
    }

    @Test func usersShareNoExchange() {
        let transport = transport()
        for user in ["a", "b"] {
            _ = transport.start(request([("Authorization", user)]), delivering: RecordingSink())
        }
        #expect(wire.exchanges.count == 2)
    }

    @Test func requestsOfOtherFieldsShareNoExchange() {
        let transport = transport()
        for language in ["de", "en"] {
            _ = transport.start(request([("Accept-Language", language)]), delivering: RecordingSink())
        }
        #expect(wire.exchanges.count == 2)
    }

    @Test func requestsOfOtherBoundsShareNoExchange() {
        let transport = transport()
        for bound in [1.0, 2] {
            _ = transport.start(request(timeouts: Timeouts(total: bound)), delivering: RecordingSink())
        }
        #expect(wire.exchanges.count == 2)
    }

    @Test func aRequestWithLessTimeSharesNoExchange() {
        let transport = transport()
        for limit in [30.0, 1] {
            _ = transport.start(request(timeouts: Timeouts(total: limit)), delivering: RecordingSink())
        }
        #expect(wire.exchanges.count == 2)
    }

    @Test func aLaterRequestOfOneLimitSharesTheExchange() {
        let transport = transport()
        for limit in [30.0, 29.999_5, 30] {
            _ = transport.start(request(timeouts: Timeouts(total: limit)), delivering: RecordingSink())
        }
        #expect(wire.exchanges.count == 1)
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

    @Test(arguments: ["no-store", "no-cache", "max-age=60, no-cache=\"a\""])
    func aConfirmationForOneRequestIsRepeatedByTheOthers(directive: String) {
        let transport = transport()
        _ = transport.start(request(), delivering: RecordingSink())
        wire.exchanges[0].respond(200, [("Cache-Control", "max-age=0"), ("ETag", "\"1\"")], "one")
        let sinks = [RecordingSink(), RecordingSink()]
        for sink in sinks { _ = transport.start(request(), delivering: sink) }
        #expect(wire.exchanges.count == 2)
        wire.exchanges[1].respond(304, [("Cache-Control", directive), ("ETag", "\"1\"")])
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
        handles[1].resume()
        #expect(wire.exchanges[0].resumptions == 1)
    }

    @Test func aCallerFarBehindCostsTheOthersNoBytes() {
        let transport = transport()
        let sinks = [RecordingSink(), RecordingSink()]
        let handles = sinks.map { transport.start(request(), delivering: $0) }
        wire.exchanges[0].head(200, Self.fresh)
        handles[0].pause()
        let megabyte = String(repeating: "a", count: 1 << 20)
        for _ in 0..<20 { wire.exchanges[0].chunk(megabyte) }
        wire.exchanges[0].end()
        handles[0].resume()
        #expect(sinks.map(\.body.count) == [20 << 20, 20 << 20])
        #expect(sinks.map(\.ends) == [1, 1])
    }
}

/// Keeps the events of an exchange.
final class RecordingSink: TransportSink {
    private struct State {
        var head: TransportResponseHead?
        var body = Data()
        var ends = 0
        var failure: TransportFailure.Kind?
        var demand = TransportDemand.more
    }

    private let state = Lock(State())

    var head: TransportResponseHead? { state.withLock { $0.head } }
    var body: Data { state.withLock { $0.body } }
    var text: String { String(decoding: body, as: UTF8.self) }
    var ends: Int { state.withLock { $0.ends } }
    var failure: TransportFailure.Kind? { state.withLock { $0.failure } }
    var status: CacheStatus? { head?.value(for: "cache-status").flatMap { CacheStatus(fieldValue: $0) } }

    /// The answer to every chunk from now on.
    func answer(_ demand: TransportDemand) { state.withLock { $0.demand = demand } }

    func receive(_ event: TransportEvent) -> TransportDemand {
        state.withLock { state in
            switch event {
            case .head(let head): state.head = head
            case .chunk(let bytes):
                state.body.append(contentsOf: bytes)
                return state.demand
            case .end(let end):
                state.ends += 1
                state.failure = end.failure?.kind
            case .informational, .sent: break
            }
            return .more
        }
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
