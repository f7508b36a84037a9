import Foundation

/// Reads an encoded form while it is sent, so that at most the caller's buffer is in memory or on disk.
///
/// `@unchecked`: read only on the queue of its ``BodyReadAhead``.
final class MultipartBodyReader: BlockingBody, @unchecked Sendable {
    private let pieces: [MultipartPiece]
    private var position = 0
    private var reader: MultipartPieceReader?

    init(_ pieces: [MultipartPiece]) { self.pieces = pieces }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        var filled = 0
        while filled < buffer.count, position < pieces.count {
            let isStream = if case .stream = pieces[position].source { true } else { false }
            // A stream may have to wait for its bytes, so available bytes are returned at once.
            if isStream, filled > 0 { break }
            let reader = try self.reader ?? MultipartPieceReader(pieces[position], seeksEnd: false)
            self.reader = reader
            let count = try reader.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
            filled += count
            if count == 0 {
                self.reader = nil
                position += 1
            } else if isStream {
                break
            }
        }
        return filled
    }

    func close() {
        reader = nil
        position = pieces.count
    }
}

/// The error of sending a form with a stream of unknown length a second time.
struct MultipartStreamIsSpent: LocalizedError {
    var errorDescription: String? {
        "A stream of unknown length is sent as it is read, and cannot be read a second time for a retry or a redirect. "
            + "Say how long it is, or append a file or data instead."
    }
}
