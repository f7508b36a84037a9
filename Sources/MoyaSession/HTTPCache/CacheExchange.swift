import Foundation
import MoyaTransport

/// A request sent by a cache: it stores the response, confirms a stored one, or replaces an error with it.
///
/// `@unchecked`: state outside the lock is only accessed by the events of the exchange, one at a time.
final class CacheExchange: TransportSink, TransportExchange, @unchecked Sendable {
    private struct State {
        /// The current request, or the following delivery of a stored body.
        var handle: (any TransportExchange)?
        var isCancelled = false
        var isPaused = false
        /// `true` after the end: a later handle would refer back to this exchange, and is not used.
        var isOver = false
    }

    /// The use of the server's response.
    private enum Course {
        /// It is delivered to the caller.
        case network
        /// The caller has the head of a stored response, and gets its body at the end.
        case stored(CacheHit)
        /// It is discarded, and the request is sent again without added fields.
        case again
    }

    let request: CacheRequest
    let plan: CacheForward
    let cache: HTTPCache
    private let inner: any Transport
    /// The queue of user code.
    private let queue: DispatchQueue
    private let sink: any TransportSink
    /// The callers that share the exchange; set before it starts.
    var shared: CoalescedExchange?

    private let state = Lock(State())
    private let requested: Double
    /// The number of invalidations before the request.
    private let invalidations: UInt64
    private var received: Double = 0
    private var course = Course.network
    private var hasHead = false
    private var hasStartedAgain = false
    /// The status and the fields of the response to store.
    private var stored: (status: Int, fields: [HTTPField], part: ContentRange?)?
    private var writer: (any CachedBodyWriter)?
    /// A stored response with newer fields, to be stored at the end.
    private var update: CachedResponse?

    init(
        _ request: CacheRequest, _ plan: CacheForward, cache: HTTPCache, inner: any Transport, queue: DispatchQueue,
        sink: any TransportSink
    ) {
        self.request = request
        self.plan = plan
        self.cache = cache
        self.inner = inner
        self.queue = queue
        self.sink = sink
        requested = cache.now()
        invalidations = cache.invalidations.count
    }

    func start() {
        var sent = request.http
        sent.delegate = nil
        sent.fields += plan.fields
        send(sent)
    }

    private func send(_ sent: HTTPRequest) {
        let handle = inner.start(sent, delivering: self)
        follow(handle) { $0.handle == nil }
    }

    /// Makes a handle the one that is cancelled and paused, if it is still the current one.
    private func follow(_ handle: any TransportExchange, where isCurrent: (borrowing State) -> Bool) {
        let (isCancelled, isPaused) = state.withLock { state in
            if isCurrent(state), !state.isOver { state.handle = handle }
            return (state.isCancelled, state.isPaused)
        }
        if isPaused { handle.pause() }
        if isCancelled { handle.cancel() }
    }

    // MARK: The handle

    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            return state.handle
        }?.cancel()
    }

    func pause() {
        state.withLock { state in
            state.isPaused = true
            return state.handle
        }?.pause()
    }

    func resume() {
        state.withLock { state in
            state.isPaused = false
            return state.handle
        }?.resume()
    }

    // MARK: The events

    func receive(_ event: TransportEvent) -> TransportDemand {
        switch event {
        case .head(let head): return receive(head)
        case .chunk(let bytes):
            guard case .network = course else { return .more }
            write(bytes)
            return sink.receive(event)
        case .end(let end):
            receive(end)
            return .more
        case .informational, .sent: return sink.receive(event)
        }
    }

    private func receive(_ head: TransportResponseHead) -> TransportDemand {
        received = cache.now()
        let fields = head.fields
        if CacheRules.clearsCache(fields, url: request.http.url) {
            cache.store.removeAll(ofOrigin: String(CacheRules.origin(of: request.http.url)))
        }
        if CacheRules.invalidates(status: head.status, method: request.http.method) {
            for url in CacheRules.invalidatedURLs(fields, after: request.http.url) { cache.invalidate(url) }
        }
        guard request.isGET || request.isHEAD else { return sink.receive(.head(head)) }
        if var hit = plan.stored, !hasStartedAgain {
            if head.status == 304 {
                guard CacheRules.confirms(hit.response, fields), hit.open() else { return beginAgain() }
                return confirm(hit, by: fields)
            }
            if [500, 502, 503, 504].contains(head.status), cache.mayReplaceError(hit, for: request), hit.open() {
                return replace(with: hit, forwardStatus: head.status)
            }
        }
        if let first = plan.firstPart, !hasStartedAgain, head.status == 206 || head.status == 416 {
            return complete(first, head, fields)
        }
        return deliver(head, fields)
    }

    /// Delivers the server's response, and starts to store it.
    private func deliver(_ head: TransportResponseHead, _ fields: [HTTPField]) -> TransportDemand {
        var status = CacheStatus(isHit: false, forward: plan.reason)
        if CacheRules.mayStore(status: head.status, fields, for: request),
            head.status != 206 || cache.store.keepsParts
        {
            store(status: head.status, fields, part: head.status == 206 ? CacheRules.contentRange(of: fields) : nil)
            status.isStored = true
        } else {
            forget(after: head, fields)
        }
        shared?.willReceiveHead(isReusable: isReusable(head, fields))
        hasHead = true
        return sink.receive(
            .head(TransportResponseHead(status: head.status, version: head.version, fields: status.added(to: fields))))
    }

    private func store(status: Int, _ fields: [HTTPField], part: ContentRange?) {
        stored = (status, CacheRules.storedFields(fields), part)
        writer =
            request.http.delegate?.decidesAboutStoring == true
            ? MemoryBodyWriter(limit: cache.store.longestBody) : cache.store.makeBody()
    }

    /// Removes stored responses that an unstored response has invalidated.
    private func forget(after head: TransportResponseHead, _ fields: [HTTPField]) {
        guard request.isGET, request.range == nil, !request.isBypassed, (200..<300).contains(head.status) else {
            return head.status == 200 && request.isHEAD ? freshenByHead(fields) : ()
        }
        if let outdated = plan.stored?.response ?? plan.firstPart ?? reloaded { cache.store.remove(outdated) }
    }

    /// The stored response that a request deliberately bypassed.
    private var reloaded: CachedResponse? { plan.reason == .request ? cache.response(for: request) : nil }

    /// Updates a stored response to `GET` with the response to `HEAD` (RFC 9111 section 4.3.5).
    private func freshenByHead(_ fields: [HTTPField]) {
        guard let stored = plan.stored?.response else { return }
        if CacheRules.isAbout(stored, fields) {
            freshen(stored, by: fields)
        } else {
            cache.store.remove(stored)
        }
    }

    /// `true` if a response may answer the requests that were made before it arrived.
    ///
    /// Without explicit freshness, it is fresh for the duration of the exchange (RFC 9111 section 4.2.2).
    private func isReusable(_ head: TransportResponseHead, _ fields: [HTTPField]) -> Bool {
        guard stored != nil else { return false }
        let freshness = CacheFreshness(status: head.status, fields: fields, requested: requested, received: received)
        let control = CacheControl(fields.values(for: "cache-control"))
        let isExplicit = control.maxAge != nil || fields.contains("expires")
        return !freshness.validatesAlways && control.uncachedFields.isEmpty
            && (freshness.timeToLive(at: received) > 0 || !isExplicit)
    }

    // MARK: A stored response as the answer

    private func confirm(_ hit: CacheHit, by fields: [HTTPField]) -> TransportDemand {
        let fresh = freshen(hit.response, by: fields)
        var status = CacheStatus(isHit: false, forward: plan.reason)
        status.forwardStatus = 304
        // A response that each request has to validate is not for the other callers.
        let control = CacheControl(fresh.fields.values(for: "cache-control"))
        let isReusable = !fresh.freshness.validatesAlways && !control.noStore && control.uncachedFields.isEmpty
        return replace(with: hit.with(fresh), status, isReusable: isReusable)
    }

    /// Records the newer fields for a stored response, and returns the updated response.
    @discardableResult
    private func freshen(_ stored: CachedResponse, by fields: [HTTPField]) -> CachedResponse {
        let merged = CacheRules.freshened(stored.fields, by: fields)
        let age = fields.filter { ASCII.equalIgnoringCase($0.name, "age") }
        let fresh = CachedResponse(
            url: stored.url, status: stored.status, fields: merged + age, requested: requested, received: received,
            variants: CacheRules.variants(of: merged, for: request.http, fingerprint: cache.fingerprint),
            credential: stored.credential, part: stored.part, body: stored.body, handled: stored.handled)
        let isForbidden = CacheControl(merged.values(for: "cache-control")).noStore
        if isForbidden || fresh.key != stored.key { cache.store.remove(stored) }
        if !isForbidden { update = fresh }
        return fresh
    }

    private func replace(with hit: CacheHit, forwardStatus: Int?) -> TransportDemand {
        var status = CacheStatus(isHit: false, forward: plan.reason)
        status.forwardStatus = forwardStatus
        status.detail = CacheStatus.staleIfError
        return replace(with: hit, status)
    }

    /// Delivers the head of a stored response, whose body follows after the end of the exchange.
    ///
    /// - Parameter isReusable: `true` if the response is also for the callers that share the exchange.
    private func replace(with hit: CacheHit, _ status: CacheStatus, isReusable: Bool = true) -> TransportDemand {
        var status = status
        status.timeToLive = hit.response.freshness.timeToLive(at: cache.now()).wholeSeconds
        course = .stored(hit)
        hasHead = true
        shared?.willReceiveHead(isReusable: isReusable)
        if sink.receive(.head(hit.head(status, at: cache.now()))) == .wait { state.withLock { $0.isPaused = true } }
        return .more
    }

    // MARK: The rest of a stored part

    /// Appends the rest of a response to its stored first part (RFC 9111 section 3.4).
    private func complete(
        _ first: CachedResponse, _ head: TransportResponseHead, _ fields: [HTTPField]
    ) -> TransportDemand {
        guard head.status == 206, let rest = CacheRules.contentRange(of: fields), let part = first.part,
            rest.total == part.total, rest.bytes == part.bytes.upperBound..<part.total,
            fields.values(for: "etag").first == first.strongTag, case .memory(let data) = first.body
        else { return beginAgain() }
        var merged = CacheRules.freshened(first.fields, by: fields)
        merged.remove("content-range")
        merged.set("Content-Length", String(part.total))
        var status = CacheStatus(isHit: false, forward: plan.reason)
        status.forwardStatus = 206
        status.isStored = true
        store(status: 200, merged, part: nil)
        shared?.willReceiveHead(isReusable: isReusable(TransportResponseHead(status: 200), merged))
        hasHead = true
        let demand = sink.receive(
            .head(TransportResponseHead(status: 200, version: head.version, fields: status.added(to: merged))))
        guard !data.isEmpty else { return demand }
        return data.withUnsafeBytes { bytes in
            write(bytes)
            return sink.receive(.chunk(bytes)) == .wait ? .wait : demand
        }
    }

    private func write(_ bytes: UnsafeRawBufferPointer) {
        guard let writer, !writer.append(bytes) else { return }
        writer.discard()
        self.writer = nil
    }

    // MARK: The end

    private func receive(_ end: TransportEnd) {
        guard let update else { return finish(end) }
        changeStore {
            self.storeUnlessInvalidated { self.cache.store.insert(update) }
            self.finish(end)
        }
    }

    /// Changes the store, and then ends the exchange, off the transport's thread if that may block.
    ///
    /// - Parameter callsUser: `true` if app code runs as well.
    private func changeStore(callsUser: Bool = false, _ body: @escaping @Sendable () -> Void) {
        guard callsUser || cache.store.mayBlock, !inner.deliversWhereCodeMayBlock else { return body() }
        queue.async(execute: body)
    }

    private func finish(_ end: TransportEnd) {
        let isCancelled = if case .cancelled? = end.failure?.kind { true } else { false }
        switch course {
        case .stored(let hit) where !isCancelled: return deliverBody(of: hit, end)
        case .again where end.failure == nil: return startAgain()
        default: break
        }
        if end.failure != nil, !isCancelled, !hasHead, var hit = plan.stored, cache.mayReplaceError(hit, for: request),
            hit.open()
        {
            _ = replace(with: hit, forwardStatus: nil)
            return deliverBody(of: hit, end)
        }
        guard let writer, let stored, end.failure == nil else {
            writer?.discard()
            complete(end)
            return
        }
        guard !isInvalidated, let body = writer.finish() else {
            writer.discard()
            complete(end)
            return
        }
        guard stored.part.map({ Int64($0.bytes.count) == body.count }) ?? true else {
            body.discard()
            complete(end)
            return
        }
        keep(stored.status, stored.fields, stored.part, body, end)
    }

    /// Ends the exchange for its caller.
    private func complete(_ end: TransportEnd) {
        state.withLock { state in
            state.isOver = true
            state.handle = nil
        }
        _ = sink.receive(.end(end))
    }

    private func deliverBody(of hit: CacheHit, _ end: TransportEnd) {
        let end = TransportEnd(metrics: end.metrics)
        let delivery = StoredBodyDelivery(hit, end: end, to: sink, queue: cache.queue) { [cache] in
            cache.store.remove(hit.response)
        }
        follow(delivery) { _ in true }
        delivery.begin()
    }

    /// Makes the request be sent again once this exchange has ended.
    private func beginAgain() -> TransportDemand {
        course = .again
        return .more
    }

    /// Sends the caller's original request.
    private func startAgain() {
        hasStartedAgain = true
        course = .network
        if let outdated = plan.firstPart ?? plan.stored?.response { cache.store.remove(outdated) }
        state.withLock { $0.handle = nil }
        var sent = request.http
        sent.delegate = nil
        send(sent)
    }

    /// `true` if a request has invalidated the response in transit.
    private var isInvalidated: Bool { cache.invalidations.includes(request.http.url, after: invalidations) }

    /// Changes the store, unless a request has invalidated what it would store.
    ///
    /// - Parameter discard: Removes what is not stored.
    private func storeUnlessInvalidated(_ store: () -> Void, orElse discard: () -> Void = {}) {
        guard !isInvalidated else { return discard() }
        store()
        // An invalidation since the check found nothing to remove.
        if isInvalidated { cache.forget(request.http.url) }
    }

    /// Stores a complete response, after the app's handler has decided.
    private func keep(
        _ status: Int, _ fields: [HTTPField], _ part: ContentRange?, _ body: CachedBody, _ end: TransportEnd
    ) {
        let response = CachedResponse(
            url: request.http.url, status: status, fields: fields, requested: requested, received: received,
            variants: CacheRules.variants(of: fields, for: request.http, fingerprint: cache.fingerprint),
            credential: request.credential, part: part, body: body)
        let delegate = request.http.delegate.flatMap { $0.decidesAboutStoring ? $0 : nil }
        changeStore(callsUser: delegate != nil) { [self, cache] in
            let store: @Sendable (CachedResponse) -> Void = { response in
                self.storeUnlessInvalidated {
                    cache.keep(response)
                } orElse: {
                    response.body.discard()
                }
            }
            if let delegate { response.propose(to: delegate, allowed: store) } else { store(response) }
            complete(end)
        }
    }
}
