import Foundation
import MoyaTransport

/// What a sink has heard of one exchange.
struct HeardEvents: Sendable {
    var informational: [TransportResponseHead] = []
    var heads: [TransportResponseHead] = []
    var body = Data()
    /// How many body bytes came, kept or not.
    var byteCount = 0
    var chunkCount = 0
    var largestChunk = 0
    var sent: [Int64] = []
    var expected: [Int64?] = []
    var ends: [TransportEnd] = []
    /// The kinds of events in their order, each run of the same kind once, every end by itself: `sent head chunk end`.
    var order: [String] = []

    var head: TransportResponseHead? { heads.first }
    var isEnded: Bool { !ends.isEmpty }
    var failure: TransportFailure? { ends.first?.failure }
    var kind: TransportFailure.Kind? { failure?.kind }
    var metrics: TransportMetrics? { ends.first?.metrics }
    var text: String { String(decoding: body, as: UTF8.self) }

    mutating func note(_ name: String) {
        if order.last != name || name == "end" { order.append(name) }
    }
}

extension HeardEvents: CustomStringConvertible {
    /// What was heard, in a line.
    var description: String {
        let status = head.map { "status \($0.status)" } ?? "no head"
        let end = isEnded ? failure.map { "failed as \($0)" } ?? "whole" : "not ended"
        return "[\(order.joined(separator: " "))], \(status), \(byteCount) body bytes, \(end)"
    }
}

/// Keeps the events of one exchange, and answers as it is told.
final class ListeningSink: TransportSink {
    typealias Demand = @Sendable (HeardEvents) -> TransportDemand

    private let watched = Watched(HeardEvents())
    private let keepsBody: Bool
    private let demand: Demand

    /// - Parameter demand: Asked after each event, with all that was heard so far, on the transport's thread.
    init(keepsBody: Bool = true, demand: @escaping Demand = { _ in .more }) {
        self.keepsBody = keepsBody
        self.demand = demand
    }

    var heard: HeardEvents { watched.value }

    func receive(_ event: TransportEvent) -> TransportDemand {
        switch event {
        case .informational(let head):
            return note("informational") { $0.informational.append(head) }
        case .head(let head):
            return note("head") { $0.heads.append(head) }
        case .chunk(let bytes):
            // Valid during the call only.
            let kept = keepsBody ? Data(bytes) : Data()
            let count = bytes.count
            return note("chunk") { heard in
                heard.body += kept
                heard.byteCount += count
                heard.chunkCount += 1
                heard.largestChunk = max(heard.largestChunk, count)
            }
        case .sent(let bytes, let expected):
            return note("sent") { heard in
                heard.sent.append(bytes)
                heard.expected.append(expected)
            }
        case .end(let end):
            return note("end") { $0.ends.append(end) }
        }
    }

    private func note(_ name: String, _ change: @escaping @Sendable (inout HeardEvents) -> Void) -> TransportDemand {
        let heard = watched.update { heard in
            heard.note(name)
            change(&heard)
            return heard
        }
        return demand(heard)
    }

    /// Waits until what was heard fulfils a condition.
    ///
    /// - Throws: ``LoopbackError/timedOut(_:)``, at once when the exchange has ended otherwise; `CancellationError`.
    @discardableResult
    func waitUntil(
        within limit: Duration = .seconds(30), _ isFulfilled: @escaping @Sendable (HeardEvents) -> Bool
    ) async throws -> HeardEvents {
        let watched = watched
        let late: @Sendable () -> LoopbackError = { .timedOut("a state of an exchange; it heard \(watched.value)") }
        let heard = try await withTimeLimit(limit, orThrow: late) {
            try await watched.when { isFulfilled($0) || $0.isEnded }
        }
        guard isFulfilled(heard) else { throw late() }
        return heard
    }

    /// Waits for the end, and returns everything that was heard.
    func waitForEnd() async throws -> HeardEvents {
        try await waitUntil { $0.isEnded }
    }
}
