/// A request retrier as an `async` function.
///
/// Implement ``retry(_:for:dueTo:)``. The form with a completion has a default implementation: it runs the function in
/// a task, which is cancelled if the request is cancelled or exceeds its deadline.
public protocol AsyncRequestRetrier: RequestRetrier {
    /// Decides whether to retry a failed request; called after every failed attempt that was not cancelled.
    ///
    /// The session sets no limit of attempts: check `request.retryCount`.
    func retry(_ request: Request, for session: Session, dueTo error: any Error) async -> RetryResult
}

extension AsyncRequestRetrier {
    /// Runs ``AsyncRequestRetrier/retry(_:for:dueTo:)`` in a task that ends with the request.
    public func retry(
        _ request: Request, for session: Session, dueTo error: any Error,
        completion: @escaping @Sendable (RetryResult) -> Void
    ) {
        InterceptionTask.run(for: request, completion) { await retry(request, for: session, dueTo: error) }
    }
}
