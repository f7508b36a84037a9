import MoyaTransport

/// The body of a request that sends an ``UploadStream``; each attempt makes a new reader.
final class StreamedUpload: Sendable {
    let stream: UploadStream
    /// The reader of the current attempt.
    private let reader = Lock<UploadStreamReader?>(nil)

    init(_ stream: UploadStream) { self.stream = stream }

    /// Makes the body of an attempt.
    ///
    /// - Parameter stated: The length stated in the request's fields, used if the stream states none.
    func body(statedLength stated: Int64?) throws(SessionError) -> TransportBody {
        if let length = stream.length, length < 0 {
            throw .createUploadableFailed(error: UploadStreamError.negativeLength(length))
        }
        guard !stream.isSpent else { throw .createUploadableFailed(error: UploadStreamError.wasRead) }
        let length = stream.length ?? stated
        let made = UploadStreamReader(stream, length: length)
        reader.exchange(made)?.close()
        return .stream(made, length: length)
    }

    /// Ends the reading of a finished attempt.
    func close() { reader.exchange(nil)?.close() }
}
