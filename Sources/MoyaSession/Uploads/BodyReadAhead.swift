import Foundation
import MoyaTransport

/// A request body that is read once, on one queue, by calls that may block.
protocol BlockingBody: AnyObject {
    /// Fills the buffer from its start and returns how many bytes were written; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int

    /// Releases the source; further reads return 0.
    func close()
}

/// Reads a blocking body without blocking the transport.
///
/// The body is read on a separate queue, one piece ahead of the transport, whose thread must not be blocked:
///
///     empty --read--> reading --bytes--> full --taken--> reading
///                        |
///                        +--end, error--> over
///
/// `@unchecked`: only the queue uses the body; the lock protects the rest.
final class BodyReadAhead: TransportBodyReader, @unchecked Sendable {
    private enum Phase {
        case empty
        case reading
        case full
        /// Reading for the last time, before the body is closed.
        case closing
        case over((any Error)?)
    }

    private struct State {
        var phase = Phase.empty
        var piece: [UInt8] = []
        var taken = 0
        /// The callback to run once the current piece has been read.
        var waiter: (@Sendable () -> Void)?
    }

    private let body: any BlockingBody
    private let state = Lock(State())
    private let queue = DispatchQueue(label: "org.moya.body")
    private static let pieceSize = 64 * 1024

    init(_ body: sending any BlockingBody) { self.body = body }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, whenReadable: @escaping @Sendable () -> Void
    ) throws -> Int? {
        let (result, readsOn) = state.withLock { state -> (Result<Int?, any Error>, Bool) in
            switch state.phase {
            case .empty:
                state.phase = .reading
                state.waiter = whenReadable
                return (.success(nil), true)
            case .reading:
                state.waiter = whenReadable
                return (.success(nil), false)
            case .full:
                let count = min(buffer.count, state.piece.count - state.taken)
                state.piece.withUnsafeBytes { piece in
                    buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: piece[state.taken..<state.taken + count]))
                }
                state.taken += count
                let isTaken = state.taken == state.piece.count
                if isTaken { state.phase = .reading }
                return (.success(count), isTaken)
            case .closing:
                return (.failure(InputStreamFailure.wasRead), false)
            case .over(let error):
                return (error.map { .failure($0) } ?? .success(0), false)
            }
        }
        if readsOn { queue.async { self.readPiece() } }
        return try result.get()
    }

    /// `true` if nothing was read yet, since bytes cannot be read twice.
    func rewind() -> Bool { state.withLock { if case .empty = $0.phase { true } else { false } } }

    /// Closes a body that was read in part, and can therefore not be sent, once a read that is under way returns.
    func close() {
        let closesNow = state.withLock { state in
            switch state.phase {
            case .empty, .closing, .over: return false
            case .reading:
                state.phase = .closing
                state.waiter = nil
                return false
            case .full:
                state.phase = .over(InputStreamFailure.wasRead)
                state.piece = []
                return true
            }
        }
        if closesNow { body.close() }
    }

    private func readPiece() {
        var piece = state.withLock { state in
            defer { state.piece = [] }
            return state.piece
        }
        if piece.count < Self.pieceSize { piece = [UInt8](repeating: 0, count: Self.pieceSize) }
        let phase: Phase
        do {
            let count = try piece.withUnsafeMutableBytes { try body.read(into: $0) }
            phase = count > 0 ? .full : .over(nil)
            if count > 0, count < piece.count { piece.removeLast(piece.count - count) }
        } catch {
            phase = .over(error)
        }
        let (waiter, isClosing) = state.withLock { [piece] state -> ((@Sendable () -> Void)?, Bool) in
            if case .closing = state.phase {
                state.phase = .over(InputStreamFailure.wasRead)
                return (nil, true)
            }
            state.phase = phase
            state.piece = piece
            state.taken = 0
            return (state.waiter.take(), false)
        }
        if isClosing { body.close() }
        waiter?()
    }
}
