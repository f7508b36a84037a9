import MoyaTransport
import Synchronization

/// Yields zeros up to a length, and counts what it was asked for.
final class CountingReader: TransportBodyReader {
    private let length: Int
    private let offset = Mutex(0)

    init(length: Int) { self.length = length }

    var count: Int { offset.withLock { $0 } }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, whenReadable: @escaping @Sendable () -> Void
    ) throws -> Int? {
        offset.withLock { offset in
            let count = min(buffer.count, length - offset)
            buffer.baseAddress?.initializeMemory(as: UInt8.self, repeating: 0, count: count)
            offset += count
            return count
        }
    }

    func rewind() -> Bool {
        offset.withLock { $0 = 0 }
        return true
    }
}
