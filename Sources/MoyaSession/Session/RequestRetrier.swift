public import Foundation

/// Decides whether to retry a failed request.
@preconcurrency
public protocol RequestRetrier: Sendable {
    /// Passes the decision to the completion, once, from any thread, at any time.
    ///
    /// Called after every failed attempt that was not cancelled, on the session's root queue; with a transport whose
    /// `deliversWhereCodeMayBlock` is `true`, such as a stub, on the thread that ends the attempt. The session sets no
    /// limit of attempts: check `request.retryCount`.
    @preconcurrency
    func retry(
        _ request: Request, for session: Session, dueTo error: any Error,
        completion: @escaping @Sendable (RetryResult) -> Void)
}

/// The decision of a retrier.
public enum RetryResult: Sendable {
    /// Retry at once.
    case retry
    /// Retry after that many seconds; at once if the number is negative or NaN, never if it is infinite.
    case retryWithDelay(TimeInterval)
    /// Do not retry; the error is unchanged.
    case doNotRetry
    /// Do not retry; the request fails with ``SessionError/requestRetryFailed(retryError:originalError:)``.
    case doNotRetryWithError(any Error)
}
