/// Decides whether to retry a failed request, and calls the completion once; see ``RequestRetrier``.
public typealias RetryHandler =
    @Sendable (Request, Session, any Error, _ completion: @escaping @Sendable (RetryResult) -> Void) -> Void

/// Decides whether to retry a failed request; see ``AsyncRequestRetrier``.
public typealias AsyncRetryHandler = @Sendable (Request, Session, any Error) async -> RetryResult

/// A request retrier made from a closure; it adapts nothing.
///
/// `@unchecked`: all stored properties are constant; a subclass is responsible for its own.
open class Retrier: RequestInterceptor, @unchecked Sendable {
    private let handler: RetryHandler

    /// Makes a retrier from a closure, which runs where ``RequestRetrier`` documents.
    @preconcurrency
    public init(_ retryHandler: @escaping RetryHandler) { handler = retryHandler }

    /// Makes a retrier from an `async` closure, which runs in a task that ends with the request.
    public init(_ retryHandler: @escaping AsyncRetryHandler) {
        handler = { request, session, error, completion in
            InterceptionTask.run(for: request, completion) { await retryHandler(request, session, error) }
        }
    }

    /// Calls the closure.
    @preconcurrency
    open func retry(
        _ request: Request, for session: Session, dueTo error: any Error,
        completion: @escaping @Sendable (RetryResult) -> Void
    ) {
        handler(request, session, error, completion)
    }
}

extension RequestRetrier where Self == Retrier {
    /// A retrier made from a closure.
    @preconcurrency
    public static func retrier(using retryHandler: @escaping RetryHandler) -> Retrier { Retrier(retryHandler) }

    /// A retrier made from an `async` closure.
    public static func retrier(using retryHandler: @escaping AsyncRetryHandler) -> Retrier { Retrier(retryHandler) }
}
