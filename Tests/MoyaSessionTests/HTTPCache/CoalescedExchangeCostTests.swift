import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The cost of requests in flight, however many there are.
@Suite struct CoalescedExchangeCostTests {
    private let wire = SteppedTransport()

    private func transport() -> CacheTransport {
        CacheTransport(
            inner: wire, cache: .memory(), policy: .useProtocolCachePolicy, queue: DispatchQueue(label: "test"))
    }

    private func request(_ fields: [HTTPField] = []) -> HTTPRequest {
        HTTPRequest(method: "GET", url: "https://example.com/a", fields: fields)
    }

    @Test func aCallerThatWaitedGetsJoinedChunks() {
        let transport = transport()
        let sink = ChunkSink()
        _ = transport.start(request(), delivering: RecordingSink())
        let handle = transport.start(request(), delivering: sink)
        wire.exchanges[0].head(200, [("Cache-Control", "max-age=60")])
        handle.pause()
        for _ in 0..<1000 { wire.exchanges[0].chunk("a") }
        handle.resume()
        #expect(sink.chunks.all == [1000])
    }

    /// Eight times as many cost less than half of the square.
    @Test func requestsThatDifferInAFieldCostTheSameEach() {
        func cost(_ count: Int) -> Double {
            processorTime {
                let transport = transport()
                let handles = (0..<count).map { number in
                    let field = HTTPField(name: "X-Request-ID", value: "\(number)")
                    return transport.start(request([field]), delivering: RecordingSink())
                }
                for handle in handles { handle.cancel() }
            }
        }
        #expect(cost(1600) < 32 * cost(200))
    }

    /// Eight times as many cost less than half of the square.
    @Test func equalRequestsCostTheSameEachToCancelInOrder() {
        func cost(_ count: Int) -> Double {
            processorTime {
                let transport = transport()
                let handles = (0..<count).map { _ in transport.start(request(), delivering: RecordingSink()) }
                for handle in handles { handle.cancel() }
            }
        }
        #expect(cost(4000) < 32 * cost(500))
    }

    /// Eight times as many cost less than half of the square.
    @Test func equalRequestsCostTheSameEachToPauseAndToCancel() {
        func cost(_ count: Int) -> Double {
            processorTime {
                let transport = transport()
                let handles = (0..<count).map { _ in transport.start(request(), delivering: RecordingSink()) }
                for handle in handles { handle.pause() }
                for handle in handles { handle.cancel() }
            }
        }
        #expect(cost(4000) < 32 * cost(500))
    }

    @Test func theExchangePausesWheneverTheLastCallerDoes() {
        let transport = transport()
        let handles = (0..<3).map { _ in transport.start(request(), delivering: RecordingSink()) }
        var isPaused: [Bool] = []
        for round in 0..<3 {
            for handle in handles { handle.pause() }
            isPaused.append(wire.exchanges[0].isPaused)
            handles[round].resume()
            isPaused.append(wire.exchanges[0].isPaused)
        }
        #expect(isPaused == [true, false, true, false, true, false])
    }

    @Test func everyCallerThatIsLeftGetsTheResponseAfterCancellations() {
        let transport = transport()
        let sinks = (0..<100).map { _ in RecordingSink() }
        let handles = sinks.map { transport.start(request(), delivering: $0) }
        for index in stride(from: 0, to: 100, by: 3) { handles[index].cancel() }
        wire.exchanges[0].respond(200, [("Cache-Control", "max-age=60")], "one")
        #expect(sinks.map(\.text) == (0..<100).map { $0 % 3 == 0 ? "" : "one" })
    }

    @Test func theStatusSaysThatAResponseWasSharedWithACallerThatLeft() {
        let transport = transport()
        let sink = RecordingSink()
        let first = transport.start(request(), delivering: RecordingSink())
        _ = transport.start(request(), delivering: sink)
        first.cancel()
        wire.exchanges[0].respond(200, [("Cache-Control", "max-age=60")], "one")
        #expect(sink.status?.isCollapsed == true)
    }

    @Test func anExchangeThatEndsLateClosesNoneThatReplacedIt() {
        let time = SharedTime()
        let cache = HTTPCache(store: MemoryCacheStore(limit: 1 << 20)) { time.now }
        let transport = CacheTransport(
            inner: wire, cache: cache, policy: .useProtocolCachePolicy, queue: DispatchQueue(label: "test"))
        _ = transport.start(request(), delivering: RecordingSink())
        wire.exchanges[0].head(200, [("Cache-Control", "max-age=60")])
        time.advance(by: 61)
        _ = transport.start(request(), delivering: RecordingSink())
        wire.exchanges[0].end(.truncated)
        _ = transport.start(request(), delivering: RecordingSink())
        #expect(wire.exchanges.count == 2)
    }
}

/// Records the length of each chunk.
private final class ChunkSink: TransportSink {
    let chunks = Recorded<Int>()

    func receive(_ event: TransportEvent) -> TransportDemand {
        if case .chunk(let bytes) = event { chunks.add(bytes.count) }
        return .more
    }
}
