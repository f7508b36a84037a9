import Foundation
import MoyaSession
import MoyaTransport

/// The body of a response that is streamed, on its way to its one reader; cancels the request when it is released.
final class StreamedBody: Sendable {
    private let request: Request
    private let stream: ResponseStream?
    /// Kept until the stream is over, for a session that is released ends its requests.
    private let session: (any RequestDelegate)?

    init(_ request: Request) {
        self.request = request
        stream = request.stream
        session = request.delegate
    }

    deinit { request.cancel() }

    func cancel() { request.cancel() }

    /// The next bytes; `nil` at the end.
    func next(isolation: isolated (any Actor)?) async throws(MoyaError) -> Data? {
        guard let stream else { return nil }
        switch await stream.next(of: request, isolation: isolation) {
        case .bytes(let bytes): return bytes
        case .taken: throw .underlying(StreamError.alreadyIterated, nil)
        case .end:
            if request.isCancelled { throw .cancelled }
            if case .failure(let error)? = request.outcome?.result(sample: nil) { throw error }
            return nil
        }
    }
}
