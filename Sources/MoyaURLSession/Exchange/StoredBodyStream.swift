#if !canImport(Darwin)
import Foundation
import MoyaTransport

/// A body as the stream that Foundation on Linux reads on a separate queue.
///
/// Even bytes in memory are sent this way: if a kept connection turns out to be dead, Foundation requests the bytes of
/// a stream again, but of no other body.
final class StoredBodyStream: InputStream {
    private struct State {
        var status = Stream.Status.notOpen
        var sent: Int64 = 0
    }

    private let reader: StoredBodyReader
    private let whenBroken: @Sendable (TransportFailure) -> Void
    private let state = Lock(State())

    /// - Parameters:
    ///   - reader: The reader, used from its current position.
    ///   - whenBroken: Receives the reason that the bytes are unavailable, on Foundation's queue.
    init(_ reader: StoredBodyReader, whenBroken: @escaping @Sendable (TransportFailure) -> Void) {
        self.reader = reader
        self.whenBroken = whenBroken
        super.init(data: Data())
    }

    override func open() { state.withLock { $0.status = .open } }

    override func close() { state.withLock { $0.status = .closed } }

    override var streamStatus: Stream.Status { state.withLock { $0.status } }

    override var streamError: (any Error)? { nil }

    override var hasBytesAvailable: Bool { state.withLock { $0.sent < reader.length && $0.status != .closed } }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
        do {
            let count = try reader.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: maxLength))
            state.withLock { state in
                state.sent += Int64(count)
                if count == 0 { state.status = .atEnd }
            }
            return count
        } catch {
            state.withLock { $0.status = .error }
            whenBroken(
                error as? TransportFailure
                    ?? .requestBody("The file to upload cannot be read on: \(error)", cause: error))
            return -1
        }
    }
}
#endif
