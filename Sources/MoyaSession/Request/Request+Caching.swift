import Foundation
import MoyaTransport
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What a request has to do with its session's cache (RFC 9111): answered out of it, confirmed by a 304, or kept in it.
///
/// Uploads are not answered out of it, and make what is kept under their URL untrue; downloads have nothing to do with it.
extension Request {
    /// What of an exchange its cache has to know.
    ///
    /// An object, for most requests have none and should not carry room for one.
    final class CachedExchange {
        let cache: ResponseCache
        var request: TransportRequest
        let requested = Date()
        /// What a 304 confirms.
        var stored: StoredResponse?
        /// Whether the response came out of the cache.
        var isAnswered = false
        /// What the 304 said.
        var confirmation: TransportResponseHead?

        init(cache: ResponseCache, request: TransportRequest) {
            self.cache = cache
            self.request = request
        }
    }

    /// Decides what is kept of this request's response, in place of the session's handler; the last one given counts.
    ///
    /// The handler is asked on the session's root queue.
    @discardableResult
    public func cacheResponse(using handler: any CachedResponseHandler) -> Self {
        guarded.withLock { $0.cachedResponseHandler = handler }
        return self
    }

    // MARK: Before an exchange

    /// How an exchange begins, as far as the cache has a say.
    enum Beginning {
        /// The transport is given the request, with fields of the cache's.
        case send(TransportRequest)
        /// The response is at hand.
        case answer(StoredResponse)
        /// Nothing is sent.
        case refuse
    }

    /// Whether a cache may have a say.
    func asksCache(isCarried: Bool) -> Bool {
        guard !isCarried, !(self is DownloadRequest) else { return false }
        return core.cache != nil || cachePolicy == .returnCacheDataDontLoad
    }

    private var cachePolicy: URLRequest.CachePolicy {
        guarded.withLock { $0.requests.last }?.cachePolicy ?? .useProtocolCachePolicy
    }

    func beginning(of request: TransportRequest) -> Beginning {
        let policy = cachePolicy
        guard let cache = core.cache else { return policy == .returnCacheDataDontLoad ? .refuse : .send(request) }
        let exchange = CachedExchange(cache: cache, request: request)
        receiving.caching = exchange
        switch cache.decide(on: request, policy: policy == .useProtocolCachePolicy ? core.cachePolicy : policy) {
        case .load(let fields): exchange.request.fields += fields
        case .validate(let stored, let fields):
            exchange.stored = stored
            exchange.request.fields += fields
        case .use(let stored):
            exchange.isAnswered = true
            return .answer(stored)
        case .refuse: return .refuse
        }
        return .send(exchange.request)
    }

    /// The failure of a request that is to be answered out of the cache, or not at all.
    var isNotCached: SessionError {
        let text = "The response is not in the cache, and the cache policy does not let it be loaded."
        return .sessionTaskFailed(error: URLError(.resourceUnavailable, userInfo: [NSLocalizedDescriptionKey: text]))
    }

    // MARK: While it arrives

    /// The stored response that a 304 confirms; `nil` for any other response.
    func confirmed(by head: TransportResponseHead) -> StoredResponse? {
        guard head.status == 304, let exchange = receiving.caching, let stored = exchange.stored else { return nil }
        receiving.caching?.confirmation = head
        return HTTPCacheRules.freshened(
            stored, by: head, for: exchange.request, requested: exchange.requested, received: Date())
    }

    // MARK: After it has arrived

    /// Whether the cache is to be changed, which may write a file and ask a handler.
    func changesCache(_ head: TransportResponseHead?) -> Bool {
        guard let exchange = receiving.caching, let head, !exchange.isAnswered else { return false }
        return exchange.confirmation != nil || HTTPCacheRules.mayStore(head, for: exchange.request)
            || HTTPCacheRules.invalidates(head, after: exchange.request)
    }

    /// Brings the cache up to date; runs where blocking is allowed.
    func changeCache(_ head: TransportResponseHead, _ data: Data?) {
        guard let exchange = receiving.caching, !exchange.isAnswered else { return }
        receiving.caching = nil
        let cache = exchange.cache
        cache.invalidate(after: exchange.request, head)
        if let stored = exchange.stored, let confirmation = exchange.confirmation {
            _ = cache.freshen(stored, by: confirmation, for: exchange.request, requested: exchange.requested)
            return
        }
        guard let request = self as? DataRequest,
            let proposal = cache.proposal(
                head, body: data ?? Data(), for: exchange.request, requested: exchange.requested)
        else { return }
        report(.willCacheResponse)
        let handler = guarded.withLock { $0.cachedResponseHandler } ?? core.cachedResponseHandler
        guard let handler else { return cache.store(proposal, for: exchange.request) }
        let isAnswered = Once()
        let answered = exchange.request
        handler.dataTask(request, willCacheResponse: proposal) { answer in
            if isAnswered.isFirst(), let answer { cache.store(answer, for: answered) }
        }
    }
}

/// The exchange of a response that was at hand: over before it could be cancelled.
package final class StoredExchange: TransportExchange {
    /// It has no state, so one serves all.
    package static let shared = StoredExchange()

    /// Delivers the whole response, on the thread that starts it, unless the request is over.
    static func deliver(_ stored: StoredResponse, to request: Request) {
        _ = request.receive(.head(stored.head))
        request.receive(whole: stored.body)
        _ = request.receive(.end(TransportEnd()))
    }

    package func cancel() {}
    package func pause() {}
    package func resume() {}
}
