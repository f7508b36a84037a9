package import Foundation
import MoyaTesting
package import MoyaTransport

/// The events that a sink received of one exchange.
package struct HeardEvents: Sendable {
    package var informational: [TransportResponseHead] = []
    package var heads: [TransportResponseHead] = []
    package var body = Data()
    /// The number of body bytes received, kept or not.
    package var byteCount = 0
    package var chunkCount = 0
    package var largestChunk = 0
    package var sent: [Int64] = []
    package var expected: [Int64?] = []
    package var ends: [TransportEnd] = []
    /// The kinds of events in order, each run of the same kind once, every end separately: `sent head chunk end`.
    package var order: [String] = []

    package var head: TransportResponseHead? { heads.first }
    package var isEnded: Bool { !ends.isEmpty }
    package var failure: TransportFailure? { ends.first?.failure }
    package var kind: TransportFailure.Kind? { failure?.kind }
    package var metrics: TransportMetrics? { ends.first?.metrics }
    package var text: String { String(decoding: body, as: UTF8.self) }
}

extension HeardEvents: CustomStringConvertible {
    /// The events in one line.
    package var description: String {
        let status = head.map { "status \($0.status)" } ?? "no head"
        let end = isEnded ? failure.map { "failed as \($0)" } ?? "whole" : "not ended"
        return "[\(order.joined(separator: " "))], \(status), \(byteCount) body bytes, \(end)"
    }
}

/// Records the events of one exchange, and returns the result of a closure.
package final class ListeningSink: TransportSink {
    package typealias Demand = @Sendable (HeardEvents) -> TransportDemand

    private let watched = Watched(HeardEvents())
    private let keepsBody: Bool
    private let demand: Demand

    /// - Parameter demand: Called after each event, with all events so far, on the transport's thread.
    package init(keepsBody: Bool = true, demand: @escaping Demand = { _ in .more }) {
        self.keepsBody = keepsBody
        self.demand = demand
    }

    package var heard: HeardEvents { watched.value }

    package func receive(_ event: TransportEvent) -> TransportDemand {
        switch event {
        case .informational(let head):
            return record("informational") { $0.informational.append(head) }
        case .head(let head):
            return record("head") { $0.heads.append(head) }
        case .chunk(let bytes):
            // The bytes are valid only during the call.
            let kept = keepsBody ? Data(bytes) : Data()
            let count = bytes.count
            return record("chunk") { heard in
                heard.body += kept
                heard.byteCount += count
                heard.chunkCount += 1
                heard.largestChunk = max(heard.largestChunk, count)
            }
        case .sent(let bytes, let expected):
            return record("sent") { heard in
                heard.sent.append(bytes)
                heard.expected.append(expected)
            }
        case .end(let end):
            return record("end") { $0.ends.append(end) }
        }
    }

    private func record(_ name: String, _ change: @escaping @Sendable (inout HeardEvents) -> Void) -> TransportDemand {
        let heard = watched.update { heard in
            if heard.order.last != name || name == "end" { heard.order.append(name) }
            change(&heard)
            return heard
        }
        return demand(heard)
    }

    /// Waits until the recorded events satisfy a condition.
    ///
    /// - Throws: `TestSupportError.timedOut(_:)`, at once if the exchange has ended otherwise; `CancellationError`.
    @discardableResult
    package func waitUntil(
        within limit: Duration = .seconds(30), _ isFulfilled: @escaping @Sendable (HeardEvents) -> Bool
    ) async throws -> HeardEvents {
        let watched = watched
        let late: @Sendable () -> TestSupportError = { .timedOut("a state of an exchange; it heard \(watched.value)") }
        let heard = try await watched.when(within: limit, orThrow: late) { isFulfilled($0) || $0.isEnded }
        guard isFulfilled(heard) else { throw late() }
        return heard
    }

    /// Waits for the end, and returns all recorded events.
    package func waitForEnd() async throws -> HeardEvents {
        try await waitUntil { $0.isEnded }
    }
}
