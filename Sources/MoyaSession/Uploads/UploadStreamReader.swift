import MoyaTransport

/// Reads an ``UploadStream`` for one attempt; the iteration ends with the reader.
final class UploadStreamReader: TransportBodyReader {
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
    func rewind() -> Bool {
        let current = iteration.value
        guard current.hasGiven else { return true }
        guard stream.isRepeatable else { return false }
        iteration.exchange(UploadIteration(of: stream, length: length)).close()
        return true
    }

    /// Ends the iteration.
    func close() { iteration.value.close() }
}
