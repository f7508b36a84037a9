import Foundation
import MoyaTransport

@testable import MoyaTesting

/// The events that a sink received.
struct Recording: Sendable {
    var informational: [TransportResponseHead] = []
    var heads: [TransportResponseHead] = []
    var body = Data()
    var chunkCount = 0
    var sent: [Int64] = []
    var expected: [Int64?] = []
    var ends: [TransportEnd] = []
    /// The kinds of events in their order, each run of the same kind once: `sent head chunk end`.
    var order: [String] = []

    var head: TransportResponseHead? { heads.first }
    var failure: TransportFailure? { ends.first?.failure }
    var kind: TransportFailure.Kind? { failure?.kind }
    var text: String { String(decoding: body, as: UTF8.self) }
}

/// Records the events of one exchange, and returns scripted demands.
final class RecordingSink: TransportSink {
    typealias Answer = @Sendable (Recording) -> TransportDemand

    private let watched = Watched(Recording())
    private let answer: Answer
    private let keepsBody: Bool

    /// - Parameter answer: Called after each event, with all that was heard so far, on the transport's thread.
    init(keepsBody: Bool = true, answer: @escaping Answer = { _ in .more }) {
        self.keepsBody = keepsBody
        self.answer = answer
    }

    var recording: Recording { watched.value }

    func receive(_ event: TransportEvent) -> TransportDemand {
        let note: (name: String, change: @Sendable (inout Recording) -> Void) =
            switch event {
            case .informational(let head): ("informational", { $0.informational.append(head) })
            case .head(let head): ("head", { $0.heads.append(head) })
            case .chunk(let bytes): ("chunk", chunk(bytes))
            case .sent(let bytes, let expected):
                (
                    "sent",
                    {
                        $0.sent.append(bytes); $0.expected.append(expected)
                    }
                )
            case .end(let end): ("end", { $0.ends.append(end) })
            }
        let recording = watched.update { recording in
            if recording.order.last != note.name || note.name == "end" { recording.order.append(note.name) }
            note.change(&recording)
            return recording
        }
        return answer(recording)
    }

    private func chunk(_ bytes: UnsafeRawBufferPointer) -> @Sendable (inout Recording) -> Void {
        let data = keepsBody ? Data(bytes) : Data()
        return { recording in
            recording.body += data
            recording.chunkCount += 1
        }
    }

    /// Waits until the recorded events satisfy a condition.
    @discardableResult
    func waitUntil(
        within limit: Duration = .seconds(60), _ isFulfilled: @escaping @Sendable (Recording) -> Bool
    ) async throws -> Recording {
        let watched = watched
        return try await withTimeLimit(limit) {
            let recording = watched.value
            return .timedOut(
                "a state of the sink; it heard \(recording.order), \(recording.body.count) bytes, \(recording.ends)")
        } _: {
            try await watched.when(isFulfilled)
        }
    }

    /// Waits for the end and returns everything that was heard.
    func waitForEnd() async throws -> Recording {
        try await waitUntil { !$0.ends.isEmpty }
    }
}
