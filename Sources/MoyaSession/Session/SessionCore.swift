import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The part of a session that its requests share.
///
/// A session holds its active requests through the core, never the reverse: releasing the session ends them.
///
/// `@unchecked`: the constants are set at the start; the session is a weak reference, which is safe to read anywhere.
final class SessionCore: @unchecked Sendable {
    /// The arguments of a session, beside its configuration.
    struct Options {
        var transport: any Transport
        var stages: [TransportStage]
        var interceptor: (any RequestInterceptor)?
        var startsRequestsImmediately: Bool
        /// The queue of user code that must not hold up a transport.
        var rootQueue: DispatchQueue
        /// The queue on which requests are prepared; `nil` for the caller's thread.
        var preparationQueue: DispatchQueue?
        var timeouts: Deadlines
        var monitor: CompositeEventMonitor
        var redirectHandler: (any RedirectHandler)?
        var cachedResponseHandler: (any CachedResponseHandler)?
        /// The reason that the session may send nothing.
        var refusal: SessionError?
        var credentialPolicy = CredentialPolicy()
        var maximumResponseBytes: Int?
        var httpCache: HTTPCache?
    }

    /// The wire.
    let transport: any Transport
    /// The wire and the transports around it, which carry every request.
    let stack: any Transport
    /// The session's interceptor, if it has one.
    let interceptors: [any RequestInterceptor]
    let startsRequestsImmediately: Bool
    let rootQueue: DispatchQueue
    let preparationQueue: DispatchQueue?
    /// Decides about redirects, where the request has no handler.
    let redirectHandler: (any RedirectHandler)?
    /// The cache that the session was given.
    let httpCache: HTTPCache?
    /// The configuration's cache, where it is used.
    let cache: ResponseCache?
    /// The cache policy of requests that set none.
    let cachePolicy: URLRequest.CachePolicy
    /// Decides what is stored, where the request has no handler.
    let cachedResponseHandler: (any CachedResponseHandler)?
    /// Holds the credentials for challenges, where the request has none.
    let credentialStorage: URLCredentialStorage?
    /// Chooses and keeps cookies; `nil` where the configuration has no store for them.
    let cookies: CookieEngine?
    /// The header fields of every request that does not replace them.
    let defaultFields: [HTTPField]
    /// The fields that no other origin gets.
    let credentialFields: CredentialFields
    /// `true` if a password may not be sent without TLS.
    let refusesBasicWithoutTLS: Bool
    /// The reason that the session may send nothing; found once, and reported to every request.
    let configurationError: SessionError?
    /// The session's bounds in seconds; `nil` where there is none.
    let bounds: DeadlineSeconds
    /// The most bytes of a response that is gathered in memory.
    let maximumResponseBytes: Int64

    let composite: CompositeEventMonitor
    private let hearsMoreThanNotifications: Bool
    private let active = Lock(IndexedSet())
    private let deadlines = DeadlineWatch()
    private let isInvalidated = Lock(false)
    private let invalidation = Lock<SessionError?>(nil)

    weak var session: Session?

    init(configuration: URLSessionConfiguration, options: Options) {
        transport = options.transport
        interceptors = options.interceptor.map { [$0] } ?? []
        startsRequestsImmediately = options.startsRequestsImmediately
        rootQueue = options.rootQueue
        preparationQueue = options.preparationQueue
        redirectHandler = options.redirectHandler
        credentialStorage = configuration.urlCredentialStorage
        cachedResponseHandler = options.cachedResponseHandler
        cachePolicy = configuration.requestCachePolicy
        httpCache = options.httpCache
        cache =
            httpCache == nil ? Self.cache(of: configuration, hasHandler: options.cachedResponseHandler != nil) : nil
        cookies = CookieEngine(configuration: configuration)
        credentialFields = CredentialFields(options.credentialPolicy.fields)
        stack = TransportStack.make(
            over: options.transport, stages: options.stages, credentials: credentialFields, cookies: cookies,
            cache: cache, httpCache: httpCache, cachePolicy: cachePolicy, queue: rootQueue)
        composite = options.monitor
        hearsMoreThanNotifications = options.monitor.monitors.contains { !($0 is NotificationEventMonitor) }
        bounds = DeadlineSeconds(
            connect: options.timeouts.connect?.positiveSeconds,
            idle: options.timeouts.idle.map(\.positiveSeconds) ?? configuration.timeoutIntervalForRequest.bound,
            attempt: options.timeouts.attempt?.positiveSeconds,
            total: options.timeouts.total.map(\.positiveSeconds) ?? configuration.timeoutIntervalForResource.bound)
        maximumResponseBytes = Int64(boundOnBytes: options.maximumResponseBytes)
        defaultFields = configuration.headers
            .filter { !HTTPField.isDropped($0.name, $0.value) }
            .map { HTTPField(name: $0.name, value: $0.value) }
        refusesBasicWithoutTLS = options.credentialPolicy.refusesBasicWithoutTLS
        configurationError = options.refusal ?? Self.error(in: defaultFields)
    }

    /// `true` if responses are stored.
    var hasCache: Bool { httpCache != nil || cache != nil }

    /// The cache that a configuration was given on purpose.
    ///
    /// Every configuration has the shared one by default, and reading it costs more than a small call.
    private static func cache(of configuration: URLSessionConfiguration, hasHandler: Bool) -> ResponseCache? {
        guard let cache = configuration.urlCache, hasHandler || cache !== URLCache.shared else { return nil }
        return ResponseCache(cache)
    }

    private static func error(in fields: [HTTPField]) -> SessionError? {
        do throws(SessionError) {
            for field in fields { try RequestValidation.validateField(field.name, field.value) }
            return nil
        } catch {
            return error
        }
    }

    /// The subscribers of events; `nil`, and so free, when there are none.
    var monitor: CompositeEventMonitor? {
        hearsMoreThanNotifications || NotificationEventMonitor.isWanted ? composite : nil
    }

    /// The value of the `Cookie` field that a request is sent with, beside the one that it has.
    func cookieHeader(for urlRequest: URLRequest) -> String? {
        urlRequest.httpShouldHandleCookies ? cookies?.cookieHeader(for: HTTPRequest(urlRequest)) : nil
    }

    // MARK: Active requests

    var activeRequests: [Request] { active.withLock { $0.all(Request.self) } }

    func register(_ request: Request) { active.withLock { $0.insert(request) } }

    func unregister(_ request: Request) { active.withLock { $0.remove(request) } }

    /// Ends the requests under way, and every later one.
    func invalidate(with error: SessionError) {
        invalidation.withLock { $0 = $0 ?? error }
        isInvalidated.set(true)
        for request in activeRequests { request.end(with: error) }
    }

    /// The reason that nothing may be sent any more, or nothing at all.
    var refusal: SessionError? {
        if let configurationError { return configurationError }
        return isInvalidated.value ? invalidation.withLock { $0 } : nil
    }

    /// Has a request that waits for user code end at its deadline.
    func watch(_ deadline: Deadline) {
        deadlines.watch(deadline) { [weak self] now in
            var next: Deadline?
            for request in self?.activeRequests ?? [] {
                guard let deadline = request.deadline else { continue }
                if deadline.isOver(at: now) {
                    request.expire()
                } else {
                    next = next.map { min($0, deadline) } ?? deadline
                }
            }
            return next
        }
    }
}

/// ``Deadlines`` in seconds, so that no request has to reckon.
struct DeadlineSeconds {
    var connect: Double?
    var idle: Double?
    var attempt: Double?
    var total: Double?
}

extension TimeInterval {
    /// The interval, or `nil`, which sets no bound, when it is no number that a bound can be made of.
    fileprivate var bound: Double? { self > 0 ? self : nil }
}
