import Foundation
import MoyaTransport
import Synchronization

/// Yields bytes in pieces of a given size.
final class PieceReader: TransportBodyReader {
    struct Broken: Error {}

    private let data: Data
    private let piece: Int
    private let breaksAt: Int?
    private let offset = Mutex(0)

    init(_ data: Data, piece: Int, breaksAt: Int? = nil) {
        self.data = data
        self.piece = piece
        self.breaksAt = breaksAt
    }

    func read(
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

    func rewind() -> Bool {
        offset.withLock { $0 = 0 }
        return true
    }
}
