import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A transport stage that answers requests from an ``HTTPCache`` and stores responses in it.
struct CacheTransport: WrappingTransport {
    let inner: any Transport
    let cache: HTTPCache
    /// The policy of requests without their own.
    let policy: URLRequest.CachePolicy
    /// The queue on which user code may run.
    let queue: DispatchQueue
    /// The session's fields with a credential.
    private let credentials: CredentialFields
    /// Identifies the client certificate beside the fields of a request.
    private let identity: String?
    /// Distinguishes the stages of sessions that share a cache.
    private let mark = Mark()

    private final class Mark: Sendable {}

    init(
        inner: any Transport, credentials: CredentialFields = CredentialFields(), cache: HTTPCache,
        policy: URLRequest.CachePolicy, queue: DispatchQueue
    ) {
        self.inner = inner
        self.credentials = credentials
        self.cache = cache
        self.policy = policy
        self.queue = queue
        identity = inner.clientIdentityDigest.map { "client-certificate:\($0)\n" }
    }

    func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
        let isGET = request.method == "GET"
        if request.isOffline, !request.usesCache || !isGET && request.method != "HEAD" {
            return finish(sink, .notCached)
        }
        // An unsafe request invalidates stored responses even if its own response is not cached.
        guard request.usesCache || !HTTPRequest.isSafe(request.method) else { return pass(request, sink) }
        if !isGET, request.method != "HEAD", HTTPRequest.isSafe(request.method) { return pass(request, sink) }
        let seen = CacheRequest(
            request, credentials: credentials, identity: identity, fingerprint: cache.fingerprint)
        guard isGET || seen.isHEAD else { return forward(seen, CacheForward(reason: .method), sink) }
        let policy = effectivePolicy(for: seen)
        let plan = cache.plan(for: seen, policy: policy)
        return carryOut(request.isOffline ? cache.offline(plan, for: seen) : plan, seen, policy, sink)
    }

    /// The policy of a request, or else that of the session.
    private func effectivePolicy(for request: CacheRequest) -> URLRequest.CachePolicy {
        let own = request.http.urlRequest?.cachePolicy ?? .useProtocolCachePolicy
        guard own == .useProtocolCachePolicy else { return own }
        // Unless only a stored response is acceptable, or the request itself prefers one.
        let reloads =
            request.http.reloads && policy != .returnCacheDataDontLoad && request.control?.onlyIfCached != true
        return reloads ? .reloadIgnoringLocalCacheData : policy
    }

    private func carryOut(
        _ plan: CachePlan, _ request: CacheRequest, _ policy: URLRequest.CachePolicy, _ sink: any TransportSink
    ) -> any TransportExchange {
        switch plan {
        case .serve(var hit, let status):
            guard hit.open() else {
                let plan = cache.forgetting(hit)
                return request.http.isOffline ? finish(sink, .notCached) : share(request, plan, policy, sink)
            }
            return serve(hit, status, request, to: sink)
        case .serveAndRevalidate(let stored, let status):
            var hit = stored
            guard hit.open() else { return share(request, cache.forgetting(hit), policy, sink) }
            revalidate(stored, request)
            return serve(hit, status, request, to: sink)
        case .forward(let plan): return share(request, plan, policy, sink)
        case .refuse: return finish(sink, .notCached)
        case .gatewayTimeout:
            var status = CacheStatus(isHit: false)
            status.detail = CacheStatus.onlyIfCached
            let fields = status.added(to: [HTTPField(name: "Content-Length", value: "0")])
            _ = sink.receive(.head(TransportResponseHead(status: 504, fields: fields)))
            return finish(sink, TransportEnd())
        }
    }

    private func pass(_ request: HTTPRequest, _ sink: any TransportSink) -> any TransportExchange {
        var request = request
        request.delegate = nil
        return inner.start(request, delivering: sink)
    }

    private func finish(_ sink: any TransportSink, _ end: TransportEnd) -> any TransportExchange {
        _ = sink.receive(.end(end))
        return FinishedExchange.shared
    }

    /// Answers with a stored response.
    private func serve(
        _ hit: CacheHit, _ status: CacheStatus, _ request: CacheRequest, to sink: any TransportSink
    ) -> any TransportExchange {
        let delivery = StoredBodyDelivery(hit, of: request, over: inner, cache: cache, to: sink)
        if sink.receive(.head(hit.head(status, at: cache.now()))) == .wait { delivery.pause() }
        delivery.start()
        return delivery
    }

    /// Sends a request.
    private func forward(
        _ request: CacheRequest, _ plan: CacheForward, _ sink: any TransportSink
    ) -> any TransportExchange {
        let exchange = CacheExchange(request, plan, cache: cache, inner: inner, queue: queue, sink: sink)
        exchange.start()
        return exchange
    }

    /// Sends a request, or makes it share the exchange of an equal one.
    private func share(
        _ request: CacheRequest, _ plan: CacheForward, _ policy: URLRequest.CachePolicy,
        _ sink: any TransportSink
    ) -> any TransportExchange {
        let http = request.http
        guard request.isGET, policy == .useProtocolCachePolicy, request.control == nil, request.range == nil,
            !request.isBypassed, !request.isConditional, http.sharesExchange, !http.expectsLargeResponse
        else { return forward(request, plan, sink) }
        let deadline = Deadline(in: http.timeouts.total)
        let caller = CoalescedExchangeCaller(sink: sink) { sink in
            forward(request.due(by: deadline), plan, sink)
        } overdue: { sink in
            replaceOverdue(plan, request, sink)
        }
        cache.shared.join(request, caller, of: ObjectIdentifier(mark), at: cache.now()) { shared in
            let exchange = CacheExchange(
                request.withoutLimit, plan, cache: cache, inner: inner, queue: queue, sink: shared)
            exchange.shared = shared
            shared.carry(exchange)
            exchange.start()
        }
        return caller
    }

    /// Answers a request whose time is over with a stale response, if that may replace an error.
    private func replaceOverdue(
        _ plan: CacheForward, _ request: CacheRequest, _ sink: any TransportSink
    ) -> any TransportExchange {
        guard var hit = plan.stored, cache.mayReplaceError(hit, for: request), hit.open() else {
            return finish(sink, .overdue(after: request.http.timeouts.total ?? 0))
        }
        return serve(hit, cache.replacing(hit, plan), request, to: sink)
    }

    /// Validates a stale response in use, once for any number of uses.
    private func revalidate(_ hit: CacheHit, _ request: CacheRequest) {
        let id = hit.response.id
        guard cache.revalidations.withLock({ $0.insert(id).inserted }) else { return }
        let sink = RevalidationSink { [cache] in _ = cache.revalidations.withLock { $0.remove(id) } }
        var unseen = request
        if unseen.http.delegate?.decidesAboutStoring != true { unseen.http.delegate = nil }
        let fields = CacheRules.conditions(for: hit.response)
        // The body is not needed.
        var unread = hit
        unread.isHeadOnly = true
        _ = forward(unseen, CacheForward(reason: .stale, fields: fields, stored: unread), sink)
    }
}

/// Receives the response of a validation without a waiting call.
final class RevalidationSink: TransportSink {
    private let onEnd: @Sendable () -> Void

    init(onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

    func receive(_ event: TransportEvent) -> TransportDemand {
        if case .end = event { onEnd() }
        return .more
    }
}
