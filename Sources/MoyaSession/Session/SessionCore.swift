import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The part of a session that its requests retain.
///
/// The core holds its session weakly: releasing the session ends its requests.
///
/// `@unchecked`: the constants are set during initialization; the weak reference to the session may be read on any
/// thread.
final class SessionCore: @unchecked Sendable {
    /// The innermost transport.
    let transport: any Transport
    /// The transport and those around it, which perform every request.
    let stack: any Transport
    /// The session's interceptor, or an empty array.
    let interceptors: [any RequestInterceptor]
    let startsRequestsImmediately: Bool
    /// The queue of user code that must not block a transport.
    let rootQueue: DispatchQueue
    /// The queue on which requests are prepared; `nil` for the caller's thread.
    let preparationQueue: DispatchQueue?
    /// Decides about redirects of requests that set no handler.
    let redirectHandler: (any RedirectHandler)?
    /// The cache that the session was given.
    let httpCache: HTTPCache?
    /// `true` if responses are stored in the session's cache or in that of its configuration.
    let hasCache: Bool
    /// The cache policy of requests that do not set one.
    let cachePolicy: URLRequest.CachePolicy
    /// Decides what is cached for requests that set no handler.
    let cachedResponseHandler: (any CachedResponseHandler)?
    /// Provides credentials for challenges of requests that have none.
    let credentialStorage: URLCredentialStorage?
    /// Selects and stores cookies; `nil` if the configuration has no cookie storage.
    let cookies: CookieEngine?
    /// The header fields of every request that does not override them.
    let defaultFields: [HTTPField]
    /// The fields that are not sent to other origins.
    let credentialFields: CredentialFields
    /// `true` if a password may not be sent without TLS.
    let refusesBasicWithoutTLS: Bool
    let loopback: LoopbackTraffic
    /// The origins that the transport reaches through Unix domain sockets.
    let unixSocketOrigins: Set<HTTPOrigin>
    /// The error of every request, if the configuration is invalid; determined once.
    let configurationError: SessionError?
    /// The session's time limits in seconds; `nil` for no limit.
    let timeLimits: DeadlineSeconds
    /// The maximum number of bytes of a response in memory.
    let maximumResponseBytes: Int64

    let composite: CompositeEventMonitor
    private let hearsMoreThanNotifications: Bool
    private let active = Lock(IndexedSet())
    private let deadlines = DeadlineWatch()
    private let invalidation = Lock<SessionError?>(nil)

    weak var session: Session?

    /// - Parameter refusal: The error of every request, if the session must not send any.
    init(
        configuration: URLSessionConfiguration, transport: SessionTransport, stages: [TransportStage],
        interceptor: (any RequestInterceptor)?, startsRequestsImmediately: Bool, rootQueue: DispatchQueue,
        preparationQueue: DispatchQueue?, timeouts: Deadlines, monitor: CompositeEventMonitor,
        redirectHandler: (any RedirectHandler)?, cachedResponseHandler: (any CachedResponseHandler)?,
        refusal: SessionError?, credentialPolicy: CredentialPolicy, maximumResponseBytes: Int?, httpCache: HTTPCache?
    ) {
        self.transport = transport.base
        loopback = transport.loopback
        unixSocketOrigins = Set(transport.unixSockets.compactMap { HTTPOrigin(setting: $0.origin) })
        interceptors = interceptor.map { [$0] } ?? []
        self.startsRequestsImmediately = startsRequestsImmediately
        self.rootQueue = rootQueue
        self.preparationQueue = preparationQueue
        self.redirectHandler = redirectHandler
        credentialStorage = configuration.urlCredentialStorage
        self.cachedResponseHandler = cachedResponseHandler
        cachePolicy = configuration.requestCachePolicy
        self.httpCache = httpCache
        let cache = httpCache ?? Self.cache(of: configuration, hasHandler: cachedResponseHandler != nil)
        hasCache = cache != nil
        cookies = CookieEngine(configuration: configuration, loopback: loopback)
        credentialFields = CredentialFields(credentialPolicy.fields)
        stack = TransportStack.make(
            over: transport.base, stages: stages, credentials: credentialFields, cookies: cookies,
            cache: cache, cachePolicy: cachePolicy, queue: rootQueue)
        composite = monitor
        hearsMoreThanNotifications = monitor.monitors.contains { !($0 is NotificationEventMonitor) }
        timeLimits = DeadlineSeconds(
            connect: timeouts.connect?.positiveSeconds,
            idle: timeouts.idle.map(\.positiveSeconds) ?? configuration.timeoutIntervalForRequest.bound,
            attempt: timeouts.attempt?.positiveSeconds,
            total: timeouts.total.map(\.positiveSeconds) ?? configuration.timeoutIntervalForResource.bound)
        self.maximumResponseBytes = Int64(boundOnBytes: maximumResponseBytes)
        defaultFields = configuration.headers
            .filter { !HTTPField.isDropped($0.name, $0.value) }
            .map { HTTPField(name: $0.name, value: $0.value) }
        refusesBasicWithoutTLS = credentialPolicy.refusesBasicWithoutTLS
        configurationError = refusal ?? Self.error(in: defaultFields)
    }

    /// The cache of a configuration, if it was set explicitly.
    ///
    /// Every configuration has the shared cache by default, and reading from it costs more than a small call.
    private static func cache(of configuration: URLSessionConfiguration, hasHandler: Bool) -> HTTPCache? {
        guard let cache = configuration.urlCache, hasHandler || cache !== URLCache.shared else { return nil }
        return HTTPCache(store: URLCacheStore(cache))
    }

    private static func error(in fields: [HTTPField]) -> SessionError? {
        do throws(SessionError) {
            for field in fields { try RequestValidation.validateField(field.name, field.value) }
            return nil
        } catch {
            return error
        }
    }

    /// The event monitors; `nil` if there are none, so that events cost nothing.
    var monitor: CompositeEventMonitor? {
        hearsMoreThanNotifications || NotificationEventMonitor.isWanted ? composite : nil
    }

    // MARK: Active requests

    var activeRequests: [Request] { active.withLock { $0.all(Request.self) } }

    func register(_ request: Request) { active.withLock { $0.insert(request) } }

    func unregister(_ request: Request) {
        let isIdle = active.withLock { active in
            active.remove(request)
            return active.count == 0
        }
        if isIdle, request.deadline != nil { deadlines.disarm { active.withLock { $0.count == 0 } } }
    }

    /// Ends all requests under way, and every later one.
    func invalidate(with error: SessionError) {
        invalidation.withLock { $0 = $0 ?? error }
        for request in activeRequests { request.end(with: error) }
    }

    /// The error of every request, if nothing may be sent.
    var refusal: SessionError? { configurationError ?? invalidation.value }

    /// Ends requests at a deadline while they wait for user code: an adapter, a retrier, a handler.
    ///
    /// The transport enforces the deadline during an exchange; a request that waits for nothing costs nothing here.
    func watch(_ deadline: Deadline) {
        deadlines.watch(deadline) { [weak self] now in
            var next: Deadline?
            let requests = self?.activeRequests ?? []
            for request in requests {
                guard let deadline = request.deadline else { continue }
                if deadline.isOver(at: now) {
                    request.expire(at: now)
                } else {
                    next = next.map { min($0, deadline) } ?? deadline
                }
            }
            return (next, requests.count)
        }
    }
}

/// ``Deadlines`` in seconds, converted once for all requests.
struct DeadlineSeconds {
    var connect: Double?
    var idle: Double?
    var attempt: Double?
    var total: Double?
}

extension TimeInterval {
    /// The interval; `nil`, which means no limit, if it is not a positive number.
    fileprivate var bound: Double? { self > 0 ? self : nil }
}
