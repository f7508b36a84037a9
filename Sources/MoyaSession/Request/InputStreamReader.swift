import Foundation

/// Reads a request body from an `InputStream`, once.
///
/// `@unchecked`: used by one exchange at a time, on the transport's thread.
final class InputStreamReader: TransportBodyReader, @unchecked Sendable {
    let stream: InputStream
    private var isOpen = false
    private var hasRead = false

    init(_ stream: InputStream) {
        self.stream = stream
    }

    deinit {
        if isOpen { stream.close() }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        if !isOpen {
            isOpen = true
            stream.open()
        }
        guard let start = buffer.baseAddress else { return 0 }
        hasRead = true
        let count = stream.read(start.assumingMemoryBound(to: UInt8.self), maxLength: buffer.count)
        guard count >= 0 else { throw InputStreamFailure(reason: stream.streamError) }
        return count
    }

    func rewind() -> Bool { !hasRead }
}

/// A stream that could not be read.
struct InputStreamFailure: LocalizedError {
    let reason: (any Error)?

    var errorDescription: String? {
        "The body stream cannot be read: \(reason?.localizedDescription ?? "it gives no reason"). "
            + "Give a fresh stream to every request; a stream can be read once."
    }
}
