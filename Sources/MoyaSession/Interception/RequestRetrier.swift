public import Foundation

/// Decides whether a failed request is tried again.
@preconcurrency
public protocol RequestRetrier: Sendable {
    /// Answers once, from any thread, now or later.
    ///
    /// Called after every failed attempt but a cancelled one, on the session's root queue; on the caller's thread for a
    /// stub. There is no limit but the one set here: look at `request.retryCount`.
    @preconcurrency
    func retry(
        _ request: Request, for session: Session, dueTo error: any Error,
        completion: @escaping @Sendable (RetryResult) -> Void)
}

/// The decision of a retrier.
public enum RetryResult: Sendable {
    /// Another attempt at once.
    case retry
    /// Another attempt after that many seconds; no delay when the number is negative or not a number, and no attempt when it
    /// is infinite.
    case retryWithDelay(TimeInterval)
    /// No further attempt; the error stays.
    case doNotRetry
    /// No further attempt; the request fails with ``SessionError/requestRetryFailed(retryError:originalError:)``.
    case doNotRetryWithError(any Error)
}
