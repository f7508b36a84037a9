package import Foundation
package import MoyaTransport

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// Answers requests out of a `URLCache` and keeps responses there, by RFC 9111.
///
/// On Linux a `URLCache` distinguishes neither queries nor schemes nor methods: each hit is verified, and of the URLs
/// that differ in no more than that, the last one answered is the one stored. There a lookup that finds nothing takes
/// 13 us and more, so it is not made where nothing can be found. Keeping a response may write a file, for a millisecond
/// or so.
package final class ResponseCache: Sendable {
    /// The cache underneath.
    package let cache: URLCache
    private let index = ResponseCacheIndex()

    package init(_ cache: URLCache) {
        self.cache = cache
        OwnerOnlyFolder.restrict(folderOf: cache)
    }

    // MARK: Before the request is sent

    /// Decides on a request; to be called before it is given to a transport, with all the fields that it is sent with.
    package func decide(
        on request: HTTPRequest, policy: URLRequest.CachePolicy, now: @autoclosure () -> Date = Date()
    ) -> CacheDecision {
        guard HTTPCacheRules.isCacheable(request) else {
            return policy == .returnCacheDataDontLoad ? .refuse : .load([])
        }
        let isAsked = policy != .reloadIgnoringLocalCacheData && policy != .reloadIgnoringLocalAndRemoteCacheData
        let found = isAsked ? find(request) : nil
        return HTTPCacheRules.decide(on: request, policy: policy, stored: found, at: now())
    }

    private func find(_ request: HTTPRequest) -> StoredResponse? {
        guard index.mayContain(request.url, in: cache), let url = URL(string: request.url),
            let cached = cache.cachedResponse(for: URLRequest(url: url)), let stored = StoredResponse(cached),
            stored.url == url
        else { return nil }
        return stored
    }

    // MARK: After the response has arrived

    /// The stored form of a response, for a handler to change and for ``store(_:for:)``; `nil` where storing is not
    /// allowed.
    ///
    /// - Parameters:
    ///   - request: As it was given to the transport.
    ///   - requested: The time at which the request was sent.
    ///   - received: The time at which the response began to arrive.
    package func proposal(
        _ head: TransportResponseHead, body: Data, for request: HTTPRequest, requested: Date,
        received: Date = Date()
    ) -> CachedURLResponse? {
        guard HTTPCacheRules.mayStore(head, for: request), body.count <= mostBytes, let url = URL(string: request.url)
        else {
            // The stored response was true before this one, but is outdated now.
            if request.method == "GET", (200..<300).contains(head.status), head.status != 206 { remove(request.url) }
            return nil
        }
        return HTTPCacheRules.stored(head, body, for: request, at: url, requested: requested, received: received).cached
    }

    /// A response of more than a twentieth of the cache would push out too much else.
    private var mostBytes: Int { max(cache.memoryCapacity, cache.diskCapacity) / 20 }

    /// Keeps what ``proposal(_:body:for:requested:received:)`` gave, or what a handler made of it.
    package func store(_ response: CachedURLResponse, for request: HTTPRequest) {
        guard let url = URL(string: request.url) else { return }
        let noted = Self.noting(response, for: request, at: url)
        index.change(request.url, in: cache) { $0.storeCachedResponse(noted, for: URLRequest(url: url)) }
    }

    /// The response with what must be known of its request, should a handler have made it anew.
    private static func noting(
        _ response: CachedURLResponse, for request: HTTPRequest, at url: URL
    ) -> CachedURLResponse {
        guard let stored = StoredResponse(response), stored.received == nil else { return response }
        let now = Date()
        let noted = HTTPCacheRules.stored(
            stored.head, stored.body, for: request, at: url, requested: now, received: now)
        return CachedURLResponse(
            response: response.response, data: response.data,
            userInfo: noted.notes.merging(response.userInfo ?? [:]) { noted, _ in noted },
            storagePolicy: response.storagePolicy)
    }

    /// Keeps what a 304 said of a stored response, and gives it as it is now.
    package func freshen(
        _ stored: StoredResponse, by head: TransportResponseHead, for request: HTTPRequest, requested: Date,
        received: Date = Date()
    ) -> StoredResponse {
        let fresh = HTTPCacheRules.freshened(stored, by: head, for: request, requested: requested, received: received)
        if HTTPCacheRules.mayStore(fresh.head, for: request) {
            if let cached = fresh.cached { store(cached, for: request) }
        } else {
            remove(request.url)
        }
        return fresh
    }

    /// Invalidates the entries that a response shows to be outdated; to be called with every response, whatever its
    /// request's method.
    package func invalidate(after request: HTTPRequest, _ head: TransportResponseHead) {
        guard HTTPCacheRules.invalidates(head, after: request), let url = URL(string: request.url) else { return }
        for url in HTTPCacheRules.invalidatedURLs(head, after: url) {
            remove(String(url.absoluteString.prefix { $0 != "#" }))
        }
    }

    private func remove(_ text: String) {
        guard index.mayContain(text, in: cache), let url = URL(string: text) else { return }
        index.change(nil, in: cache) { $0.removeCachedResponse(for: URLRequest(url: url)) }
    }
}
