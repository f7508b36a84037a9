/// The rest of the chain: the inner middleware and, last, the session.
public struct NextMiddleware: Sendable {
    /// The end of the chain.
    typealias Sending = @Sendable (MiddlewareCall) async throws(MoyaError) -> Response

    private let middleware: [any MoyaMiddleware]
    private let position: Int
    private let sending: Sending

    /// Makes the end of a chain, for tests of a middleware.
    ///
    /// - Parameter answer: Replaces the session and all inner middleware.
    public init(_ answer: @escaping @Sendable (MiddlewareCall) async throws(MoyaError) -> Response) {
        self.init(middleware: [], sending: answer)
    }

    init(middleware: [any MoyaMiddleware], position: Int = 0, sending: @escaping Sending) {
        self.middleware = middleware
        self.position = position
        self.sending = sending
    }

    /// Passes a call on, and returns its response.
    ///
    /// - Throws: `MoyaError`; if the task is cancelled, ``MoyaError/cancelled`` without sending anything.
    public func callAsFunction(_ call: MiddlewareCall) async throws(MoyaError) -> Response {
        if _Concurrency.Task.isCancelled { throw .cancelled }
        guard position < middleware.count else { return try await sending(call) }
        return try await middleware[position].intercept(
            call, next: NextMiddleware(middleware: middleware, position: position + 1, sending: sending))
    }
}
