import Foundation
import MoyaTransport
import Synchronization

/// Reads a request body from an `InputStream`, once.
///
/// A stream may block for as long as it likes, and the transport's thread must not. So the stream is read on a queue of
/// its own, one piece ahead of what is sent:
///
///     empty --read--> reading --bytes--> full --taken--> reading
///                        |
///                        +--end, error--> over
///
/// `@unchecked`: the stream is used on the queue alone; the rest is under the lock.
final class InputStreamReader: TransportBodyReader, @unchecked Sendable {
    private enum Phase {
        case empty
        case reading
        case full
        case over(InputStreamFailure?)
    }

    private struct State {
        var phase = Phase.empty
        var piece: [UInt8] = []
        var taken = 0
        var hasRead = false
        /// Who waits for the piece that is being read.
        var waiter: (@Sendable () -> Void)?
    }

    let stream: InputStream
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "org.moya.body-stream")
    private static let pieceSize = 64 * 1024

    init(_ stream: InputStream) {
        self.stream = stream
    }

    deinit {
        if state.withLock({ $0.hasRead }) { stream.close() }
    }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, whenReadable: @escaping @Sendable () -> Void
    ) throws -> Int? {
        let (result, readsOn) = state.withLock { state -> (Result<Int?, InputStreamFailure>, Bool) in
            state.hasRead = true
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
            case .over(let failure):
                return (failure.map { .failure($0) } ?? .success(0), false)
            }
        }
        if readsOn { queue.async { self.readPiece() } }
        return try result.get()
    }

    func rewind() -> Bool { state.withLock { !$0.hasRead } }

    private func readPiece() {
        if stream.streamStatus == .notOpen { stream.open() }
        var piece = state.withLock { state in
            defer { state.piece = [] }
            return state.piece
        }
        if piece.count < Self.pieceSize { piece = [UInt8](repeating: 0, count: Self.pieceSize) }
        let count = stream.read(&piece, maxLength: Self.pieceSize)
        // Asking a stream that is well for its error would trap on Linux.
        let phase: Phase =
            count > 0 ? .full : .over(count < 0 ? .unreadable(stream.streamError?.localizedDescription) : nil)
        if count > 0, count < piece.count { piece.removeLast(piece.count - count) }
        let waiter = state.withLock { [piece] state in
            state.phase = phase
            state.piece = piece
            state.taken = 0
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?()
    }
}

/// A stream that could not be read.
enum InputStreamFailure: LocalizedError, Hashable {
    /// Reading failed, with the reason that the stream gives.
    case unreadable(String?)
    /// The stream was read before.
    case wasRead

    var errorDescription: String? {
        switch self {
        case .unreadable(let reason):
            "The body stream cannot be read: \(reason ?? "it gives no reason.")"
        case .wasRead:
            "The body stream was read before, by an earlier attempt or another request. "
                + "Give a fresh stream to every request, or upload data or a file, which can be sent again."
        }
    }
}
