import MoyaTransport

/// A call that can be cancelled.
@preconcurrency
public protocol Cancellable: Sendable {
    /// `true` if ``cancel()`` was called.
    var isCancelled: Bool { get }

    /// Ends the call with a cancellation error, unless it is over; may be called from any thread, any number of times.
    func cancel()
}

/// Runs an action once, when the token is cancelled.
public final class CancellableToken: Cancellable, CustomDebugStringConvertible {
    private let action: @Sendable () -> Void
    private let cancelled = Lock(false)

    /// Makes a token.
    ///
    /// - Parameter action: Runs at most once, on the thread that cancels; it may call ``cancel()`` itself.
    @preconcurrency
    public init(action: @escaping @Sendable () -> Void) {
        self.action = action
    }

    /// `true` if ``cancel()`` was called.
    public var isCancelled: Bool { cancelled.value }

    /// Runs the action on the first call; later calls have no effect.
    public func cancel() {
        if !cancelled.exchange(true) { action() }
    }

    /// `Empty Request`, since the token has no request.
    public var debugDescription: String { "Empty Request" }
}
