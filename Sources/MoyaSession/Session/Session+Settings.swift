public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// The settings of a session.
extension Session {
    /// The event monitors of a session that is given none.
    public static var defaultEventMonitors: [any EventMonitor] { [NotificationEventMonitor()] }

    /// The queue of code that must not block a transport: validations, retriers, download destinations.
    ///
    /// A transport whose `deliversWhereCodeMayBlock` is `true` runs them on its own thread.
    public var rootQueue: DispatchQueue { core.rootQueue }
    /// `true` if adding the first response handler starts a request, on the root queue.
    public var startRequestsImmediately: Bool { core.startsRequestsImmediately }
    /// Adapts and retries every request, before the request's own interceptor.
    public var interceptor: (any RequestInterceptor)? { core.interceptors.first }
    /// Decides about redirects of requests that set no handler.
    public var redirectHandler: (any RedirectHandler)? { core.redirectHandler }
    /// The cache that the session was given.
    public var cache: HTTPCache? { core.httpCache }
    /// Decides what is cached for requests that set no handler.
    public var cachedResponseHandler: (any CachedResponseHandler)? { core.cachedResponseHandler }

    /// A copy of the session's configuration; changing it has no effect.
    public var sessionConfiguration: URLSessionConfiguration {
        configuration.copy() as? URLSessionConfiguration ?? configuration
    }

    /// The transport that performs the session's requests.
    public var transport: any Transport { core.transport }

    /// The header fields of every request that does not override them.
    public var defaultHeaders: HTTPHeaders {
        HTTPHeaders(core.defaultFields.map { HTTPHeader(name: $0.name, value: $0.value) })
    }
}
