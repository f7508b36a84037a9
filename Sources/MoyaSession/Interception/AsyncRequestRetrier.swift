import Foundation

/// A request retrier that is written as an `async` function.
///
/// Implement ``retry(_:for:dueTo:)``. The form with a completion is given: it runs the function in a task, which is
/// cancelled when the request is cancelled or out of time.
public protocol AsyncRequestRetrier: RequestRetrier {
    /// Decides whether a failed request is tried again; called after every failed attempt but a cancelled one.
    ///
    /// There is no limit but the one set here: look at `request.retryCount`.
    func retry(_ request: Request, for session: Session, dueTo error: any Error) async -> RetryResult
}

extension AsyncRequestRetrier {
    /// Runs ``AsyncRequestRetrier/retry(_:for:dueTo:)`` in a task that ends with the request.
    public func retry(
        _ request: Request, for session: Session, dueTo error: any Error,
        completion: @escaping @Sendable (RetryResult) -> Void
    ) {
        InterceptionTask.run(for: request) {
            await retry(request, for: session, dueTo: error)
        } completion: {
            completion($0)
        }
    }
}
