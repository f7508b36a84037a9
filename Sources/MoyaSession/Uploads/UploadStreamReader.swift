import MoyaTransport

/// Reads an ``UploadStream`` for one attempt; the iteration ends with the reader.
final class UploadStreamReader: RepeatableBodyReader {
    private let stream: UploadStream
    private let length: Int64?
    private let iteration: Lock<UploadIteration>

    /// - Parameter length: The number of bytes stated in the request.
    init(_ stream: UploadStream, length: Int64?) {
        self.stream = stream
        self.length = length
        iteration = Lock(UploadIteration(of: stream, length: length))
    }

    deinit { close() }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, whenReadable: @escaping @Sendable () -> Void
    ) throws -> Int? {
        try iteration.value.read(into: buffer, whenReadable: whenReadable)
    }

    /// `true` if the transport has taken no byte yet, or a new sequence can be made.
    var isRepeatable: Bool { stream.isRepeatable || !iteration.value.hasGiven }

    func rewind() -> Bool {
        guard isRepeatable else { return false }
        guard iteration.value.hasGiven else { return true }
        iteration.exchange(UploadIteration(of: stream, length: length)).close()
        return true
    }

    /// Ends the iteration.
    func close() { iteration.value.close() }
}
