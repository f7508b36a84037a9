import Foundation
import MoyaTransport

/// A request sent by a cache: it stores the response, confirms a stored one, or replaces an error with it.
///
/// `@unchecked`: state outside the lock is only accessed by the events of the exchange, one at a time.
final class CacheExchange: TransportSink, RelayedExchange, @unchecked Sendable {
    /// The use of the server's response.
    enum Course {
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
    let inner: any Transport
    /// The queue of user code.
    private let queue: DispatchQueue
    let sink: any TransportSink
    /// The callers that share the exchange; set before it starts.
    var shared: CoalescedExchange?

    /// The relay to the current request, or to the following delivery of a stored body.
    private let exchange = Lock(ExchangeRelay())
    let requested: Double
    /// The number of invalidations before the request.
    private let invalidations: UInt64
    private(set) var received: Double = 0
    var course = Course.network
    var hasHead = false
    private var hasStartedAgain = false
    /// `true` if the stored response may be readable later.
    private var keepsStored = false
    /// The status and the fields of the response to store.
    private var stored: (status: Int, fields: [HTTPField], part: ContentRange?)?
    private var writer: (any CachedBodyWriter)?
    /// The number of bytes that are still to follow a stored first part, negative once more have arrived; `nil` for any
    /// other response.
    var missing: Int64?
    /// The stored first part, which is delivered before the next bytes, since the caller waited at the head.
    var heldPart: Data?

    /// The maximum number of bytes of a body that an app's handler decides about: it gets the bytes in memory.
    static let longestProposal: Int64 = 4 * 1024 * 1024
    /// A stored response with newer fields, to be stored at the end.
    var update: CachedResponse?

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

    private func send(_ sent: HTTPRequest) { relay { inner.start(sent, delivering: self) } }

    func withRelay<Result: Sendable>(_ body: (inout ExchangeRelay) -> Result) -> Result {
        exchange.withLock { body(&$0) }
    }

    // MARK: The events

    func receive(_ event: TransportEvent) -> TransportDemand {
        switch event {
        case .head(let head): return receive(head)
        case .chunk(let bytes):
            guard case .network = course, isExpected(bytes.count) else { return .more }
            write(bytes)
            guard let first = heldPart.take() else { return sink.receive(event) }
            return (first + bytes).withUnsafeBytes { sink.receive(.chunk($0)) }
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
            cache.invalidate(origin: String(CacheRules.origin(of: request.http.url)))
        }
        if CacheRules.invalidates(status: head.status, method: request.http.method) {
            for url in CacheRules.invalidatedURLs(fields, after: request.http.url) { cache.invalidate(url) }
        }
        guard request.isGET || request.isHEAD else { return sink.receive(.head(head)) }
        if var hit = plan.stored, !hasStartedAgain {
            if head.status == 304 {
                guard CacheRules.confirms(hit.response, fields), hit.open() else {
                    keepsStored = hit.isUnreadable
                    return beginAgain()
                }
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
        share(status: head.status, fields)
        hasHead = true
        return sink.receive(
            .head(TransportResponseHead(status: head.status, version: head.version, fields: status.added(to: fields))))
    }

    func store(status: Int, _ fields: [HTTPField], part: ContentRange?) {
        stored = (status, CacheRules.storedFields(fields), part)
        writer =
            request.http.delegate?.decidesAboutStoring == true
            ? MemoryBodyWriter(limit: min(cache.store.longestBody, Self.longestProposal)) : cache.store.makeBody()
    }

    /// Removes stored responses that an unstored response has invalidated.
    private func forget(after head: TransportResponseHead, _ fields: [HTTPField]) {
        guard request.isGET, request.range == nil, !request.isBypassed, (200..<300).contains(head.status) else {
            return head.status == 200 && request.isHEAD ? freshenByHead(fields) : ()
        }
        forgetOutdated()
    }

    /// Removes the stored response that a newer one, which is not stored, has replaced.
    private func forgetOutdated() {
        if let outdated = plan.stored?.response ?? plan.firstPart ?? unused { cache.store.remove(outdated) }
    }

    /// The stored response that the request did not use, although it matches.
    private var unused: CachedResponse? {
        switch plan.reason {
        case .request, .bypass: request.isBypassed ? nil : cache.response(for: request)
        // A range beyond a stored part leaves that valid.
        case .partial: request.range == nil ? cache.response(for: request) : nil
        case .method, .uriMiss, .varyMiss, .stale: nil
        }
    }

    /// Updates a stored response to `GET` with the response to `HEAD` (RFC 9111 section 4.3.5).
    private func freshenByHead(_ fields: [HTTPField]) {
        guard let stored = plan.stored?.response else { return }
        if CacheRules.isAbout(stored, fields) {
            freshen(stored, by: fields)
        } else {
            cache.store.remove(stored)
        }
    }

    /// Decides whether a response also answers the other callers of the exchange, before its head is delivered.
    func share(status: Int, _ fields: [HTTPField]) {
        guard stored != nil else { return passOn(isReusable: false) }
        let freshness = CacheFreshness(status: status, fields: fields, requested: requested, received: received)
        passOn(
            isReusable: freshness.answersSeveral(fields),
            freshness: freshness.timeToLive(at: received) > 0 ? freshness : nil)
    }

    /// Tells the callers of a shared exchange, and those of later ones, whether a response is usable for several.
    private func passOn(isReusable: Bool, freshness: CacheFreshness? = nil) {
        if let shared { return shared.willReceiveHead(isReusable: isReusable, freshness: freshness) }
        cache.shared.record(isReusable: isReusable, of: request.http.url)
    }

    /// Counts bytes of the body; `false` if they are beyond the range of the response.
    private func isExpected(_ count: Int) -> Bool {
        guard let missing else { return true }
        self.missing = missing < 0 ? missing : missing - Int64(count)
        return Int64(count) <= missing
    }

    func write(_ bytes: UnsafeRawBufferPointer) {
        guard let writer, !writer.append(bytes) else { return }
        writer.discard()
        self.writer = nil
    }

    // MARK: The end

    private func receive(_ end: TransportEnd) {
        guard let update else { return finish(end) }
        changeStore {
            self.storeUnlessInvalidated { self.cache.keep(update: update) }
            self.finish(end)
        }
    }

    /// Changes the store, and then ends the exchange, off the transport's thread if that may block.
    ///
    /// - Parameter isSlow: `true` if app code runs as well, or files are read.
    private func changeStore(isSlow: Bool = false, _ body: @escaping @Sendable () -> Void) {
        guard isSlow || cache.store.mayBlock, !inner.deliversWhereCodeMayBlock else { return body() }
        queue.async(execute: body)
    }

    private func finish(_ end: TransportEnd) {
        var end = end
        let isCancelled = if case .cancelled? = end.failure?.kind { true } else { false }
        switch course {
        case .stored(let hit) where !isCancelled: return deliverBody(of: hit, end)
        // A broken body was to be discarded.
        case .again where end.failure?.kind.isOfBody ?? true: return startAgain()
        default: break
        }
        if end.failure?.kind.isOfNetwork == true, !hasHead, var hit = plan.stored,
            cache.mayReplaceError(hit, for: request), hit.open()
        {
            _ = replace(with: hit, forwardStatus: nil)
            return deliverBody(of: hit, end)
        }
        end.failure = end.failure ?? lengthFailure
        guard let stored, end.failure == nil, !isInvalidated else {
            writer?.discard()
            complete(end)
            return
        }
        guard let body = writer?.finish() else {
            writer?.discard()
            return drop(end)
        }
        guard stored.part.map({ $0.bytes.length == body.count }) ?? true else {
            body.discard()
            return drop(end)
        }
        keep(stored.status, stored.fields, stored.part, body, end)
    }

    /// The failure of a response that does not complete a stored first part, although its range does.
    private var lengthFailure: TransportFailure? {
        guard let missing, missing != 0 else { return nil }
        return TransportFailure(
            missing > 0 ? .truncated : .protocolViolation,
            message: "The rest of a stored response is \(missing > 0 ? "shorter" : "longer") than its range.")
    }

    /// Ends the exchange after a complete response that cannot be stored.
    private func drop(_ end: TransportEnd) {
        changeStore {
            self.forgetOutdated()
            self.complete(end)
        }
    }

    /// Ends the exchange for its caller.
    private func complete(_ end: TransportEnd) {
        withRelay { $0.end() }
        _ = sink.receive(.end(end))
    }

    /// Makes the request be sent again once this exchange has ended.
    func beginAgain() -> TransportDemand {
        course = .again
        return .more
    }

    /// Sends the caller's original request.
    private func startAgain() {
        hasStartedAgain = true
        course = .network
        if !keepsStored, let outdated = plan.firstPart ?? plan.stored?.response { cache.store.remove(outdated) }
        var sent = request.http
        sent.delegate = nil
        send(sent)
    }

    /// `true` if a request has invalidated the response in transit.
    private var isInvalidated: Bool {
        let url = request.http.url
        return [url, String(CacheRules.origin(of: url))].contains {
            cache.invalidations.includes($0, after: invalidations)
        }
    }

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
            variants: CacheRules.variants(of: fields, for: request, fingerprint: cache.fingerprint),
            credential: request.credential, part: part, body: body)
        let delegate = request.http.delegate.flatMap { $0.decidesAboutStoring ? $0 : nil }
        // Two parts in files are joined by copying them.
        request.http.delegate?.willStore()
        changeStore(isSlow: delegate != nil || part != nil) { [self, cache] in
            let store: @Sendable (CachedResponse) -> Void = { response in
                self.storeUnlessInvalidated {
                    cache.keep(response)
                } orElse: {
                    response.body.discard()
                }
            }
            if let delegate {
                response.propose(to: delegate, allowed: store) {
                    response.body.discard()
                    self.forgetOutdated()
                }
            } else {
                store(response)
            }
            complete(end)
        }
    }
}
