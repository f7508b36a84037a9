import MoyaTesting
import MoyaTransport

/// Yields zeros up to a length, and counts the requested bytes.
package final class CountingReader: TransportBodyReader {
    private let length: Int
    private let offset = Lock(0)

    package init(length: Int) { self.length = length }

    package var count: Int { offset.withLock { $0 } }

    package func read(
        into buffer: UnsafeMutableRawBufferPointer, whenReadable: @escaping @Sendable () -> Void
    ) throws -> Int? {
        offset.withLock { offset in
            let count = min(buffer.count, length - offset)
            buffer.baseAddress?.initializeMemory(as: UInt8.self, repeating: 0, count: count)
            offset += count
            return count
        }
    }

    package func rewind() -> Bool {
        offset.withLock { $0 = 0 }
        return true
    }
}
