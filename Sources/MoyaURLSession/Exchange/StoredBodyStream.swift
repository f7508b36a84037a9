#if !canImport(Darwin)
import Foundation
import MoyaTransport

/// A body as the stream that Foundation on Linux reads on a separate queue.
///
/// Even bytes in memory are sent this way: if a kept connection turns out to be dead, Foundation requests the bytes of
/// a stream again, but of no other body.
final class StoredBodyStream: InputStream {
    private let reader: StoredBodyReader
    private let whenBroken: @Sendable (TransportFailure) -> Void
    private let status = Lock(Stream.Status.notOpen)

    /// - Parameters:
    ///   - reader: The reader, used from its current position.
    ///   - whenBroken: Receives the reason that the bytes are unavailable, on Foundation's queue.
    init(_ reader: StoredBodyReader, whenBroken: @escaping @Sendable (TransportFailure) -> Void) {
        self.reader = reader
        self.whenBroken = whenBroken
        super.init(data: Data())
    }

    override func open() { status.withLock { $0 = .open } }

    override func close() { status.withLock { $0 = .closed } }

    override var streamStatus: Stream.Status { status.withLock { $0 } }

    override var streamError: (any Error)? { nil }

    override var hasBytesAvailable: Bool { !reader.isAtEnd && status.withLock { $0 } != .closed }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
        do {
            let count = try reader.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: maxLength))
            if count == 0 { status.withLock { $0 = .atEnd } }
            return count
        } catch {
            status.withLock { $0 = .error }
            whenBroken(
                error as? TransportFailure
                    ?? .requestBody("The file to upload cannot be read on: \(error)", cause: error))
            return -1
        }
    }
}
#endif
