import Foundation
import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An interceptor made of closures, each `nil` for the default behaviour.
struct Intercepting: RequestInterceptor {
    typealias Adapt =
        @Sendable (URLRequest, @escaping @Sendable (Result<URLRequest, any Error>) -> Void) -> Void
    typealias Retry = @Sendable (Request, any Error, @escaping @Sendable (RetryResult) -> Void) -> Void

    private let whenAdapting: Adapt?
    private let whenRetrying: Retry?

    init(adapt: Adapt? = nil, retry: Retry? = nil) {
        whenAdapting = adapt
        whenRetrying = retry
    }

    func adapt(
        _ urlRequest: URLRequest, for session: Session,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
        whenAdapting?(urlRequest, completion) ?? completion(.success(urlRequest))
    }

    func retry(
        _ request: Request, for session: Session, dueTo error: any Error,
        completion: @escaping @Sendable (RetryResult) -> Void
    ) {
        whenRetrying?(request, error, completion) ?? completion(.doNotRetry)
    }

    /// Retries at once, so many times.
    static func retrying(_ limit: Int) -> Intercepting {
        Intercepting(retry: { request, _, completion in completion(request.retryCount < limit ? .retry : .doNotRetry) })
    }
}
