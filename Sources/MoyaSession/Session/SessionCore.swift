import Foundation
import MoyaTransport
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What the requests of a session share with it.
///
/// A session holds its active requests through the core, and not the reverse: releasing the session ends them.
///
/// `@unchecked`: the constants are set at the start; the session is a weak reference, which is safe to read anywhere.
final class SessionCore: @unchecked Sendable {
    /// What a session was given, beside its configuration.
    struct Options {
        var transport: any Transport
        var interceptor: (any RequestInterceptor)?
        var startsRequestsImmediately: Bool
        /// Where code of the user's runs that must not hold up a transport.
        var rootQueue: DispatchQueue
        /// Where requests are prepared; `nil` for the caller's thread.
        var preparationQueue: DispatchQueue?
        var timeouts: RequestTimeouts
        var monitor: CompositeEventMonitor
        var redirectHandler: (any RedirectHandler)?
        var cachedResponseHandler: (any CachedResponseHandler)?
        /// Why the session may send nothing.
        var refusal: SessionError?
    }

    let transport: any Transport
    /// The session's interceptor, if it has one.
    let interceptors: [any RequestInterceptor]
    let startsRequestsImmediately: Bool
    let rootQueue: DispatchQueue
    let preparationQueue: DispatchQueue?
    /// Asked about redirects, where the request has no handler of its own.
    let redirectHandler: (any RedirectHandler)?
    /// Answers requests with what it has kept; `nil` where nothing is kept.
    let cache: ResponseCache?
    /// How requests that do not say so use the cache.
    let cachePolicy: URLRequest.CachePolicy
    /// Asked about what is kept, where the request has no handler of its own.
    let cachedResponseHandler: (any CachedResponseHandler)?
    /// Holds the credentials for challenges, where the request has none of its own.
    let credentialStorage: URLCredentialStorage?
    /// Chooses and keeps cookies; `nil` where the configuration has no store for them.
    let cookies: CookieEngine?
    /// What every request sends unless it says otherwise.
    let defaultFields: [HTTPField]
    /// Why the session may send nothing; found once, and told to every request.
    let configurationError: SessionError?
    /// The session's bounds in seconds; `nil` where there is none.
    let bounds: Bounds

    private let composite: CompositeEventMonitor
    private let hearsMoreThanNotifications: Bool
    private let active = Mutex(PlacedList())
    private let deadlines = DeadlineWatch()
    private let isInvalidated = Atomic(false)
    private let invalidation = Mutex<SessionError?>(nil)

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
        cache = Self.cache(of: configuration, hasHandler: options.cachedResponseHandler != nil)
        cookies = CookieEngine(configuration: configuration)
        composite = options.monitor
        hearsMoreThanNotifications = options.monitor.monitors.contains { !($0 is NotificationEventMonitor) }
        bounds = Bounds(
            connect: options.timeouts.connect?.positiveSeconds,
            idle: options.timeouts.idle.map(\.positiveSeconds) ?? configuration.timeoutIntervalForRequest.bound,
            attempt: options.timeouts.attempt?.positiveSeconds,
            total: options.timeouts.total.map(\.positiveSeconds) ?? configuration.timeoutIntervalForResource.bound)
        defaultFields = configuration.headers.map { HTTPField(name: $0.name, value: $0.value) }
        configurationError = options.refusal ?? Self.error(in: defaultFields)
    }

    /// The cache that a session was given on purpose.
    ///
    /// Every configuration has the shared one unless it is told otherwise, and asking it costs more than a small call.
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

    /// Whoever wants to hear of events; `nil`, and so free, when nobody does.
    var monitor: CompositeEventMonitor? {
        hearsMoreThanNotifications || NotificationEventMonitor.isWanted ? composite : nil
    }

    // MARK: Active requests

    var activeRequests: [Request] { active.withLock { $0.all(Request.self) } }

    func register(_ request: Request) { active.withLock { $0.insert(request) } }

    func unregister(_ request: Request) { active.withLock { $0.remove(request) } }

    /// Ends what is under way, and whatever will be asked of the session from now on.
    func invalidate(with error: SessionError) {
        invalidation.withLock { $0 = $0 ?? error }
        isInvalidated.store(true, ordering: .releasing)
        for request in activeRequests { request.end(with: error) }
    }

    /// Why nothing may be sent any more, or nothing at all.
    var refusal: SessionError? {
        if let configurationError { return configurationError }
        return isInvalidated.load(ordering: .acquiring) ? invalidation.withLock { $0 } : nil
    }

    /// Has a request that waits for somebody's answer end at its deadline.
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

/// ``RequestTimeouts`` in seconds, so that no request has to reckon.
struct Bounds {
    var connect: Double?
    var idle: Double?
    var attempt: Double?
    var total: Double?
}

extension TimeInterval {
    /// The interval, or `nil`, which sets no bound, when it is no number that a bound can be made of.
    fileprivate var bound: Double? { self > 0 && self < 1e9 ? self : nil }
}
