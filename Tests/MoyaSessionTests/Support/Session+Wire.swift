import Foundation
import MoyaSession
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension Session {
    /// A session over a test's transport, with further settings.
    static func over(
        _ transport: any Transport, startRequestsImmediately: Bool = false,
        requestQueue: DispatchQueue? = nil, interceptor: (any RequestInterceptor)? = nil,
        redirectHandler: (any RedirectHandler)? = nil, monitors: [any EventMonitor] = [],
        timeouts: Deadlines = Deadlines(), credentials: URLCredentialStorage? = nil
    ) -> Session {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpAdditionalHeaders = [:]
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        configuration.urlCredentialStorage = credentials
        return Session(
            configuration: configuration, startRequestsImmediately: startRequestsImmediately,
            requestQueue: requestQueue, interceptor: interceptor, redirectHandler: redirectHandler,
            eventMonitors: monitors, timeouts: timeouts, transport: transport)
    }

    /// A session over the platform's own wire, which adds no field.
    static func onTheWire(
        interceptor: (any RequestInterceptor)? = nil, redirectHandler: (any RedirectHandler)? = nil,
        monitors: [any EventMonitor] = [], timeouts: Deadlines = Deadlines()
    ) -> Session {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpAdditionalHeaders = [:]
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        return Session(
            configuration: configuration, startRequestsImmediately: false, interceptor: interceptor,
            redirectHandler: redirectHandler, eventMonitors: monitors, timeouts: timeouts)
    }

    /// The requests in flight.
    var active: Set<Request> {
        let found = Lock<Set<Request>>([])
        withAllRequests { requests in found.withLock { $0 = requests } }
        return found.withLock { $0 }
    }
}

extension DataRequest {
    /// Starts the request and waits for the argument of a response handler.
    func answered() async -> AFDataResponse<Data?> {
        await handedOver { handOver in
            response(queue: .global(), completionHandler: handOver)
            resume()
        }
    }
}

extension DownloadRequest {
    /// Starts the request and waits for the argument of a response handler.
    func answered() async -> AFDownloadResponse<URL?> {
        await handedOver { handOver in
            response(queue: .global(), completionHandler: handOver)
            resume()
        }
    }
}

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
