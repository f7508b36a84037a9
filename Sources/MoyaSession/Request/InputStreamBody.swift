import Foundation

/// The bytes of an `InputStream`, which can be read once.
///
/// `@unchecked`: read on the queue of its ``BodyReadAhead`` alone.
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
        // Reading the error of a healthy stream would trap on Linux.
        guard count >= 0 else { throw InputStreamFailure.unreadable(stream.streamError?.localizedDescription) }
        return count
    }
}

/// A stream that could not be read.
enum InputStreamFailure: LocalizedError, Hashable {
    /// Reading failed, with the reason that the stream gives.
    case unreadable(String?)
    /// The stream was read before.
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
