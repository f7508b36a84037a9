import Foundation
import MoyaTransport

@testable import MoyaSession

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
