import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Answers requests out of a cache and stores responses there (RFC 9111): a transport around a transport.
struct Caching: Transport {
    let inner: any Transport
    let cache: ResponseCache
    /// The policy of requests that set none.
    let policy: URLRequest.CachePolicy
    /// The queue on which a file may be written and user code may run.
    let queue: DispatchQueue

    var deliversWhereCodeMayBlock: Bool { inner.deliversWhereCodeMayBlock }
    var configurationFailure: TransportFailure? { inner.configurationFailure }

    func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
        var request = request
        guard request.usesCache else {
            request.delegate = nil
            return inner.start(request, delivering: sink)
        }
        let own = request.urlRequest?.cachePolicy ?? .useProtocolCachePolicy
        var stored: StoredResponse?
        switch cache.decide(on: request, policy: own == .useProtocolCachePolicy ? policy : own) {
        case .load(let fields): request.fields += fields
        case .validate(let known, let fields):
            stored = known
            request.fields += fields
        case .use(let known):
            _ = sink.receive(.head(known.head))
            known.body.deliver(to: sink)
            return finish(sink, TransportEnd())
        case .refuse: return finish(sink, .notCached)
        }
        let sink = CacheSink(
            request: request, stored: stored, cache: cache, queue: deliversWhereCodeMayBlock ? nil : queue, sink: sink)
        request.delegate = nil
        return inner.start(request, delivering: sink)
    }

    private func finish(_ sink: any TransportSink, _ end: TransportEnd) -> any TransportExchange {
        _ = sink.receive(.end(end))
        return FinishedExchange.shared
    }
}

extension TransportEnd {
    /// The end of a request that is to be answered out of the cache, or not at all, and cannot be.
    static var notCached: TransportEnd { TransportEnd(failure: TransportFailure(wrapping: SessionError.notCached)) }
}

extension SessionError {
    /// The error of a request that is to be answered out of the cache, or not at all, and cannot be.
    static var notCached: SessionError {
        let text = "The response is not in the cache, and the cache policy does not let it be loaded."
        return .sessionTaskFailed(error: URLError(.resourceUnavailable, userInfo: [NSLocalizedDescriptionKey: text]))
    }
}

extension Data {
    /// Delivers the bytes as one chunk, unless there are none.
    fileprivate func deliver(to sink: any TransportSink) {
        if !isEmpty { withUnsafeBytes { _ = sink.receive(.chunk($0)) } }
    }
}

/// Stores the response of an exchange, or replaces a 304 by the stored response that it confirms.
///
/// `@unchecked`: touched by the events of the exchange alone, one at a time.
private final class CacheSink: TransportSink, @unchecked Sendable {
    private let request: HTTPRequest
    private let requested = Date()
    /// The response that a 304 confirms.
    private let stored: StoredResponse?
    private let cache: ResponseCache
    /// The queue on which the cache is changed; `nil` for the queue of the events.
    private let queue: DispatchQueue?
    private let sink: any TransportSink

    private var head: TransportResponseHead?
    /// The body, where it may be stored.
    private var body: Data?
    private var isConfirmed = false

    init(
        request: HTTPRequest, stored: StoredResponse?, cache: ResponseCache, queue: DispatchQueue?,
        sink: any TransportSink
    ) {
        self.request = request
        self.stored = stored
        self.cache = cache
        self.queue = queue
        self.sink = sink
    }

    func receive(_ event: TransportEvent) -> TransportDemand {
        switch event {
        case .head(let head):
            self.head = head
            if head.status == 304, let stored { return confirm(stored, by: head) }
            if HTTPCacheRules.mayStore(head, for: request) { body = Data() }
        case .chunk(let bytes):
            if isConfirmed { return .more }
            body?.append(contentsOf: bytes)
        case .end(let end):
            finish(end)
            return .more
        case .informational, .sent: break
        }
        return sink.receive(event)
    }

    private func confirm(_ stored: StoredResponse, by head: TransportResponseHead) -> TransportDemand {
        isConfirmed = true
        let fresh = HTTPCacheRules.freshened(stored, by: head, for: request, requested: requested, received: Date())
        let demand = sink.receive(.head(fresh.head))
        fresh.body.deliver(to: sink)
        return demand
    }

    private func finish(_ end: TransportEnd) {
        guard end.failure == nil, let head,
            isConfirmed || body != nil || HTTPCacheRules.invalidates(head, after: request)
        else {
            _ = sink.receive(.end(end))
            return
        }
        guard let queue else { return change(head, end) }
        queue.async { self.change(head, end) }
    }

    /// Brings the cache up to date, and ends the exchange.
    private func change(_ head: TransportResponseHead, _ end: TransportEnd) {
        cache.invalidate(after: request, head)
        if isConfirmed, let stored {
            _ = cache.freshen(stored, by: head, for: request, requested: requested)
        } else if let body, let proposal = cache.proposal(head, body: body, for: request, requested: requested) {
            store(proposal)
        }
        _ = sink.receive(.end(end))
    }

    private func store(_ proposal: CachedURLResponse) {
        guard let delegate = request.delegate else { return cache.store(proposal, for: request) }
        delegate.willStore(proposal) { [cache, request] answer in
            if let answer { cache.store(answer, for: request) }
        }
    }
}
