public import Dispatch

/// The active requests of a session.
extension Session {
    /// Passes the requests under way to a closure, on the calling thread.
    public func withAllRequests(perform action: (Set<Request>) -> Void) { action(Set(core.activeRequests)) }

    /// Cancels all requests under way.
    ///
    /// - Parameters:
    ///   - queue: The queue of the completion.
    ///   - completion: Called once after all of them were cancelled.
    @preconcurrency
    public func cancelAllRequests(
        completingOnQueue queue: DispatchQueue = .main, completion: (@Sendable () -> Void)? = nil
    ) {
        for request in core.activeRequests { request.cancel() }
        if let completion { queue.async(execute: completion) }
    }

    /// Ends all requests under way, and every later one, with ``SessionError/sessionInvalidated(error:)``.
    public func invalidateAndCancel() { core.invalidate(with: .sessionInvalidated(error: nil)) }
}
