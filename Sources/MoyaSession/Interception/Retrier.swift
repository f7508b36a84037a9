import Foundation

/// Decides whether a failed request is tried again, and calls the completion once; see ``RequestRetrier``.
public typealias RetryHandler =
    @Sendable (Request, Session, any Error, _ completion: @escaping @Sendable (RetryResult) -> Void) -> Void

/// Decides whether a failed request is tried again; see ``AsyncRequestRetrier``.
public typealias AsyncRetryHandler = @Sendable (Request, Session, any Error) async -> RetryResult

/// A request retrier that is a closure; it adapts nothing.
///
/// `@unchecked`: everything stored here is constant; a subclass answers for what it adds.
open class Retrier: RequestInterceptor, @unchecked Sendable {
    private enum Handler {
        case completing(RetryHandler)
        case async(AsyncRetryHandler)
    }

    private let handler: Handler

    /// Makes a retrier of a closure, which runs where ``RequestRetrier`` says.
    @preconcurrency
    public init(_ retryHandler: @escaping RetryHandler) { handler = .completing(retryHandler) }

    /// Makes a retrier of an `async` closure, which runs in a task that ends with the request.
    public init(_ retryHandler: @escaping AsyncRetryHandler) { handler = .async(retryHandler) }

    /// Calls the closure.
    @preconcurrency
    open func retry(
        _ request: Request, for session: Session, dueTo error: any Error,
        completion: @escaping @Sendable (RetryResult) -> Void
    ) {
        switch handler {
        case .completing(let retry): retry(request, session, error, completion)
        case .async(let retry):
            InterceptionTask.run(for: request) {
                await retry(request, session, error)
            } completion: {
                completion($0)
            }
        }
    }
}

extension RequestRetrier where Self == Retrier {
    /// A retrier that is a closure.
    @preconcurrency
    public static func retrier(using retryHandler: @escaping RetryHandler) -> Retrier { Retrier(retryHandler) }

    /// A retrier that is an `async` closure.
    public static func retrier(using retryHandler: @escaping AsyncRetryHandler) -> Retrier { Retrier(retryHandler) }
}
