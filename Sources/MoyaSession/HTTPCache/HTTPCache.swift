public import Foundation
import MoyaTransport

/// Stores responses and answers requests with them, by RFC 9111 for a private cache.
///
/// ### Do I need this?
/// To answer without the network: faster, and while there is none. Without a cache every call is sent.
///
/// ### Use
///     let cache = HTTPCache.disk(at: folder, staleIfError: .seconds(7 * 86400))
///     let provider = MoyaProvider<GitHub>(session: Session(cache: cache))
///
/// A response is stored where HTTP allows it, and used while it is fresh; a stale one is validated, or is used as
/// `stale-while-revalidate` and `stale-if-error` allow (RFC 5861). Equal requests that are under way at the same time share
/// one exchange. `Response.cacheStatus` states the part of the cache in a response (RFC 9211).
///
/// A stored response is for the credential that its request had: two users of one cache share nothing. Cookies that a
/// response sets are not stored.
public final class HTTPCache: Sendable {
    let store: any CacheStore
    /// The time, in seconds since 1970.
    let now: @Sendable () -> Double
    /// Seconds of staleness that the app allows in place of an error; `nil` where only servers do.
    let staleIfError: Double?
    /// The queue on which stored files are read.
    let queue = DispatchQueue(label: "org.moya.cache", attributes: .concurrent)
    /// Requests under way that others may join.
    let shared = CoalescedExchanges()
    /// The URLs that were invalidated lately.
    let invalidations = Invalidations()
    /// The responses that are being validated while they are used.
    let revalidations = Lock<Set<UInt64>>([])

    init(
        store: any CacheStore, staleIfError: Duration? = nil,
        now: @escaping @Sendable () -> Double = { Date().timeIntervalSince1970 }
    ) {
        self.store = store
        self.staleIfError = staleIfError.map { max($0.seconds, 0) }
        self.now = now
    }

    /// Makes a cache in memory, which ends with the process.
    ///
    /// - Parameters:
    ///   - limit: The most bytes of all responses, 32 MiB by default; those used least recently go first. One response may
    ///     have a quarter of it.
    ///   - staleIfError: The time for which a stale response stands for an error (no connection, a timeout, a status of
    ///     500, 502, 503 or 504), where the server sets none; `nil` for no time. A response that has to be validated
    ///     (`no-cache`, `must-revalidate`) never does.
    public static func memory(limit: Int = 32 * 1024 * 1024, staleIfError: Duration? = nil) -> HTTPCache {
        HTTPCache(store: MemoryCacheStore(limit: limit), staleIfError: staleIfError)
    }

    /// The bytes that the stored responses take.
    public var size: Int { Int(clamping: store.size) }

    /// Forgets every response.
    public func removeAll() { store.removeAll() }

    /// Forgets the responses stored under a URL.
    public func removeResponses(for url: URL) {
        store.removeAll(for: String(url.absoluteString.prefix { $0 != "#" }))
    }

    /// A text that says nothing of a secret, and is the same for the same one.
    func fingerprint(_ secret: String) -> String {
        let digest = SHA256.digest(store.salt + Array(secret.utf8))
        return digest.prefix(16).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
