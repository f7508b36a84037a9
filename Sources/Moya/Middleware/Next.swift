/// The rest of the chain after a middleware: further middleware and, last, the session.
public struct Next: Sendable {
    /// Ends the list of middleware.
    typealias Sending = @Sendable (Call) async throws(MoyaError) -> Response

    private let middleware: [any Middleware]
    private let position: Int
    private let sending: Sending

    /// Makes an end of a list, for tests of a middleware.
    ///
    /// - Parameter answer: Stands in for the session and for all middleware between.
    public init(_ answer: @escaping @Sendable (Call) async throws(MoyaError) -> Response) {
        self.init(middleware: [], sending: answer)
    }

    init(middleware: [any Middleware], sending: @escaping Sending) {
        self.init(middleware: middleware, position: 0, sending: sending)
    }

    private init(middleware: [any Middleware], position: Int, sending: @escaping Sending) {
        self.middleware = middleware
        self.position = position
        self.sending = sending
    }

    /// Passes a call on, and returns its response.
    ///
    /// - Throws: `MoyaError`; once the task is cancelled, ``MoyaError/cancelled`` without anything being sent.
    public func callAsFunction(_ call: Call) async throws(MoyaError) -> Response {
        if _Concurrency.Task.isCancelled { throw .cancelled }
        guard position < middleware.count else { return try await sending(call) }
        return try await middleware[position].intercept(
            call, next: Next(middleware: middleware, position: position + 1, sending: sending))
    }
}
