package import Foundation
import MoyaTesting
import MoyaTransport

/// Yields bytes in pieces of a given size, and counts them.
package final class PieceReader: TransportBodyReader {
    struct Broken: Error {}

    private let data: Data
    private let piece: Int
    private let breaksAt: Int?
    private let offset = Lock(0)

    package init(_ data: Data, piece: Int, breaksAt: Int? = nil) {
        self.data = data
        self.piece = piece
        self.breaksAt = breaksAt
    }

    /// The number of bytes that were read.
    package var count: Int { offset.value }

    package func read(
        into buffer: UnsafeMutableRawBufferPointer, whenReadable: @escaping @Sendable () -> Void
    ) throws -> Int? {
        try offset.withLock { offset in
            if let breaksAt, offset >= breaksAt { throw Broken() }
            let count = min(piece, buffer.count, data.count - offset)
            data.copyBytes(to: buffer, from: (data.startIndex + offset)..<(data.startIndex + offset + count))
            offset += count
            return count
        }
    }

    package func rewind() -> Bool {
        offset.withLock { $0 = 0 }
        return true
    }
}
