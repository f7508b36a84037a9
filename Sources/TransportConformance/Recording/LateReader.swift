package import Foundation
import MoyaTesting
import MoyaTransport

/// A reader that has no bytes before each piece, and before the end, until it is released.
package final class LateReader: TransportBodyReader {
    private struct State {
        var pieces: [Data]
        var passes = 0
        var waiter: (@Sendable () -> Void)?
    }

    private let state: Lock<State>
    private let refusals = Watched(0)

    package init(_ pieces: [Data]) { state = Lock(State(pieces: pieces)) }

    package func read(
        into buffer: UnsafeMutableRawBufferPointer, whenReadable: @escaping @Sendable () -> Void
    ) throws -> Int? {
        let count = state.withLock { state -> Int? in
            guard state.passes > 0 else {
                state.waiter = whenReadable
                return nil
            }
            state.passes -= 1
            guard !state.pieces.isEmpty else { return 0 }
            return state.pieces.removeFirst().copyBytes(to: buffer)
        }
        if count == nil { refusals.update { $0 += 1 } }
        return count
    }

    /// Waits until the reader has reported a number of times that it has no bytes.
    package func waitUntilAsked(times: Int, within limit: Duration = .seconds(30)) async throws {
        let refusals = refusals
        _ = try await refusals.when(within: limit) {
            .timedOut("a body reader to be asked \(times) times; it was asked \(refusals.value) times")
        } _: {
            $0 >= times
        }
    }

    package func letOneThrough() {
        let waiter = state.withLock { state in
            state.passes += 1
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?()
    }

    package func rewind() -> Bool { false }
}
