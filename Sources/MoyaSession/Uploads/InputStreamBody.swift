import Foundation

/// The bytes of an `InputStream`, which can be read only once.
///
/// `@unchecked`: only the queue of its ``BodyReadAhead`` reads it, which does not while it is closed.
final class InputStreamBody: BlockingBody, @unchecked Sendable {
    private let stream: InputStream
    private var isOpen = false
    private var isOver = false

    init(_ stream: InputStream) {
        self.stream = stream
    }

    deinit { close() }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        if isOver { return 0 }
        if !isOpen {
            isOpen = true
            if stream.streamStatus == .notOpen { stream.open() }
        }
        guard let start = buffer.baseAddress else { return 0 }
        let count = stream.read(start.assumingMemoryBound(to: UInt8.self), maxLength: buffer.count)
        guard count > 0 else {
            // The request may live long after its upload.
            let reason = reason
            close()
            if count < 0 { throw InputStreamFailure.unreadable(reason) }
            return 0
        }
        guard count <= buffer.count else { throw InputStreamFailure.overlong(count, buffer: buffer.count) }
        return count
    }

    func close() {
        isOver = true
        guard isOpen else { return }
        isOpen = false
        stream.close()
    }

    private var reason: String? {
        #if !canImport(Darwin)
        // Foundation traps if a stream has no error, as one that was closed.
        guard stream.streamStatus == .error else { return nil }
        #endif
        return stream.streamError?.localizedDescription
    }
}

/// The failure to read a stream.
enum InputStreamFailure: LocalizedError, Hashable {
    /// Reading failed; the value is the stream's error.
    case unreadable(String?)
    /// The stream returned more bytes than its buffer has.
    case overlong(Int, buffer: Int)
    /// The stream has already been read.
    case wasRead

    var errorDescription: String? {
        switch self {
        case .unreadable(let reason):
            "The body stream cannot be read: \(reason ?? "it gives no reason.")"
        case .overlong(let count, let buffer):
            "The body stream returned \(count) for a buffer of \(buffer) bytes. Return the number of bytes it was given."
        case .wasRead:
            "The body stream was read before, by an earlier attempt or another request. "
                + "Give a fresh stream to every request, or upload data or a file, which can be sent again."
        }
    }
}
