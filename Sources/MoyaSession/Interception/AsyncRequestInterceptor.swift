#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

/// An adapter and a retrier as `async` functions; by default it changes nothing and retries nothing.
///
/// To make only one half `async`, conform to ``RequestInterceptor`` and to ``AsyncRequestAdapter`` or
/// ``AsyncRequestRetrier``.
public protocol AsyncRequestInterceptor: RequestInterceptor, AsyncRequestAdapter, AsyncRequestRetrier {}

extension AsyncRequestInterceptor {
    /// Returns the request unchanged.
    public func adapt(_ urlRequest: URLRequest, for session: Session) async throws -> URLRequest { urlRequest }

    /// Returns ``RetryResult/doNotRetry``.
    public func retry(_ request: Request, for session: Session, dueTo error: any Error) async -> RetryResult {
        .doNotRetry
    }
}

// Resolves the ambiguity between two inherited forms with a completion: these call the `async` function.

extension RequestInterceptor where Self: AsyncRequestAdapter {
    /// Runs ``AsyncRequestAdapter/adapt(_:for:)`` in a task.
    public func adapt(
        _ urlRequest: URLRequest, for session: Session,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
        InterceptionTask.run(for: nil, completion) { try await adapt(urlRequest, for: session) }
    }
}

extension RequestInterceptor where Self: AsyncRequestRetrier {
    /// Runs ``AsyncRequestRetrier/retry(_:for:dueTo:)`` in a task that ends with the request.
    public func retry(
        _ request: Request, for session: Session, dueTo error: any Error,
        completion: @escaping @Sendable (RetryResult) -> Void
    ) {
        InterceptionTask.run(for: request, completion) { await retry(request, for: session, dueTo: error) }
    }
}
