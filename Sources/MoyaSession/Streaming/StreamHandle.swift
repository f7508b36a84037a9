/// The way to the body of an accepted response, for its one reader; ends the request when it is released.
package final class StreamHandle: Sendable {
    private let request: Request
    private let stream: ResponseStream?
    /// Kept until the stream is over, for a session that is released ends its requests.
    private let session: (any RequestDelegate)?

    package init(_ request: Request) {
        self.request = request
        stream = request.stream
        session = request.delegate
    }

    deinit { request.cancel() }

    /// Ends the request, unless it is over.
    package func cancel() { request.cancel() }

    /// `true` if the request was cancelled.
    package var isCancelled: Bool { request.isCancelled }

    /// The result of the request; `nil` before its end.
    package var outcome: RequestOutcome? { request.outcome }

    /// The trailer fields, once the request is over.
    package var trailers: HTTPHeaders { request.trailers }

    /// The next bytes, once there are any; cancelling the task cancels the request.
    package func next(isolation: isolated (any Actor)? = #isolation) async -> ResponseStream.Chunk {
        guard let stream else { return .end }
        return await stream.next(of: request, isolation: isolation)
    }
}
