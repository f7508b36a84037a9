#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

/// Both an adapter and a retrier, written as `async` functions; by default it changes nothing and retries nothing.
///
/// One half may be `async` and the other not: a type that conforms to ``RequestInterceptor`` and to
/// ``AsyncRequestAdapter`` or ``AsyncRequestRetrier`` is just that.
public protocol AsyncRequestInterceptor: RequestInterceptor, AsyncRequestAdapter, AsyncRequestRetrier {}

extension AsyncRequestInterceptor {
    /// Leaves the request as it is.
    public func adapt(_ urlRequest: URLRequest, for session: Session) async throws -> URLRequest { urlRequest }

    /// Answers ``RetryResult/doNotRetry``.
    public func retry(_ request: Request, for session: Session, dueTo error: any Error) async -> RetryResult {
        .doNotRetry
    }
}

// Of the two forms with a completion that such a type inherits, the one that calls the `async` function.

extension RequestInterceptor where Self: AsyncRequestAdapter {
    /// Runs ``AsyncRequestAdapter/adapt(_:for:)`` in a task.
    public func adapt(
        _ urlRequest: URLRequest, for session: Session,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
        InterceptionTask.run(for: nil) {
            await Result { try await adapt(urlRequest, for: session) }
        } completion: {
            completion($0)
        }
    }
}

extension RequestInterceptor where Self: AsyncRequestRetrier {
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
