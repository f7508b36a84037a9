import Foundation
import MoyaTransport

/// Reads an encoded form as it is sent, so that no more of it is in memory, or on disk, than a few buffers hold.
// Unchecked: used by one exchange at a time; what reads a stream on another thread is behind a lock of its own.
final class MultipartBodyReader: TransportBodyReader, @unchecked Sendable {
    /// What reads the piece at the position.
    private enum Current {
        /// Memory or a file, which are at hand.
        case piece(MultipartPieceReader)
        /// A stream, which may have to wait for its bytes, and how many it had so far.
        case stream(InputStreamReader, done: UInt64)
    }

    private let pieces: [MultipartPiece]
    private var position = 0
    private var current: Current?
    /// Whether a stream was begun, after which nothing brings the bytes back.
    private(set) var isSpent = false

    init(_ pieces: [MultipartPiece]) { self.pieces = pieces }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, whenReadable: @escaping @Sendable () -> Void
    ) throws -> Int? {
        var filled = 0
        while filled < buffer.count, position < pieces.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            let count: Int
            switch try open() {
            case .piece(let reader):
                count = try reader.read(into: rest)
            case .stream(let reader, let done):
                // What is there goes first, and what comes goes at once.
                if filled > 0 { return filled }
                isSpent = true
                guard let read = try read(from: reader, done: done, into: rest, whenReadable) else { return nil }
                if read > 0 {
                    current = .stream(reader, done: done + UInt64(read))
                    return read
                }
                count = read
            }
            filled += count
            if count == 0 {
                current = nil
                position += 1
            }
        }
        return filled
    }

    func rewind() -> Bool {
        if isSpent { return false }
        current = nil
        position = 0
        return true
    }

    private func open() throws(SessionError) -> Current {
        if let current { return current }
        let opened: Current
        if case .stream(let source) = pieces[position].source {
            opened = .stream(InputStreamReader(source.stream), done: 0)
        } else {
            opened = .piece(try MultipartPieceReader(pieces[position], seeksEnd: false))
        }
        current = opened
        return opened
    }

    private func read(
        from reader: InputStreamReader, done: UInt64, into buffer: UnsafeMutableRawBufferPointer,
        _ whenReadable: @escaping @Sendable () -> Void
    ) throws(SessionError) -> Int? {
        let piece = pieces[position]
        let wanted = piece.length.map { Int(min(UInt64(buffer.count), $0 - min($0, done))) } ?? buffer.count
        if wanted == 0 { return 0 }
        let count: Int?
        do {
            count = try reader.read(
                into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), whenReadable: whenReadable)
        } catch {
            throw .multipartEncodingFailed(reason: .inputStreamReadFailed(error: error))
        }
        if count == 0, piece.length != nil { throw piece.unexpectedLength(done) }
        return count
    }
}

/// A form with a stream of unknown length was to be sent a second time.
struct MultipartStreamIsSpent: LocalizedError {
    var errorDescription: String? {
        "A stream of unknown length is sent as it is read, and cannot be read a second time for a retry or a redirect. "
            + "Say how long it is, or append a file or data instead."
    }
}
