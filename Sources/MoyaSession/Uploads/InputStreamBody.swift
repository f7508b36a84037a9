import Foundation

/// The bytes of an `InputStream`, which can be read only once.
///
/// `@unchecked`: only the queue of its ``BodyReadAhead`` reads it.
final class InputStreamBody: BlockingBody, @unchecked Sendable {
    private let stream: InputStream
    private var isOpen = false

    init(_ stream: InputStream) {
        self.stream = stream
    }

    deinit {
        if isOpen { stream.close() }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        if !isOpen {
            isOpen = true
            if stream.streamStatus == .notOpen { stream.open() }
        }
        guard let start = buffer.baseAddress else { return 0 }
        let count = stream.read(start.assumingMemoryBound(to: UInt8.self), maxLength: buffer.count)
        guard count >= 0 else { throw InputStreamFailure.unreadable(reason) }
        return count
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
    /// The stream has already been read.
    case wasRead

    var errorDescription: String? {
        switch self {
        case .unreadable(let reason):
            "The body stream cannot be read: \(reason ?? "it gives no reason.")"
        case .wasRead:
            "The body stream was read before, by an earlier attempt or another request. "
                + "Give a fresh stream to every request, or upload data or a file, which can be sent again."
        }
    }
}
