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
}

/// Records the length of each chunk.
private final class ChunkSink: TransportSink {
    let chunks = Recorded<Int>()

    func receive(_ event: TransportEvent) -> TransportDemand {
        if case .chunk(let bytes) = event { chunks.add(bytes.count) }
        return .more
    }
}
