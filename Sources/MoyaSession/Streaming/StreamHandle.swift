import MoyaTransport

/// The handle of an accepted response's body, for its only reader; releasing it ends the request.
package final class StreamHandle: Sendable {
    private let request: Request
    private let stream: ResponseStream?
    /// Retained until the end of the stream, since a released session ends its requests.
    private let session: Lock<(any RequestDelegate)?>
    private let claims = Once()

    package init(_ request: Request) {
        self.request = request
        stream = request.stream
        session = Lock(request.delegate)
    }

    deinit { request.cancel() }

    /// `true` for the first reader, which alone may read and cancel.
    package func claim() -> Bool { claims.isFirst() }

    /// Ends the request, unless it has ended.
    package func cancel() {
        request.cancel()
        releaseSession()
    }

    /// Released outside the lock, because a session ends its requests when it is.
    private func releaseSession() {
        let session = session.withLock { $0.take() }
        withExtendedLifetime(session) {}
    }

    /// `true` if the request was cancelled.
    package var isCancelled: Bool { request.isCancelled }

    /// The result of the request; `nil` before its end.
    package var outcome: RequestOutcome? { request.outcome }

    /// The trailer fields, when the request has ended.
    package var trailers: HTTPHeaders { request.trailers }

    /// The next bytes, when there are any; cancelling the task cancels the request.
    package func next(isolation: isolated (any Actor)? = #isolation) async -> ResponseStream.Chunk {
        guard let stream else { return .end }
        let chunk = await stream.next(of: request, isolation: isolation)
        if case .end = chunk { releaseSession() }
        return chunk
    }
}
