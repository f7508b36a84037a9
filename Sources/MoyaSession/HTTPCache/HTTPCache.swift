public import Foundation
import MoyaTransport

/// Stores responses and answers requests from them, as a private cache by RFC 9111.
///
/// ### Do I need this?
/// A cache answers without the network: faster, and while there is none. Without a cache every call is sent.
///
/// ### Use
///     let cache = HTTPCache.disk(at: folder, staleIfError: .days(7))
///     let provider = MoyaProvider<GitHub>(session: Session(cache: cache))
///
/// A response is stored if HTTP allows it, and used while it is fresh. A stale one is validated, or used as
/// `stale-while-revalidate` and `stale-if-error` allow (RFC 5861). Equal requests in flight share one exchange, also
/// those that are made until 64 KiB of the body have arrived, and each has its own time limit.
/// `Response.cacheStatus` describes the cache's use for a response (RFC 9211).
///
/// Of one URL, the 64 latest variants are stored, whatever the number of requested ones. A response whose `Vary` names
/// more than 64 fields, or whose URL has more than 8,192 bytes, is not stored.
///
/// A stored response is only for the credential and the client certificate of its request and, if the request had
/// cookies, only for the same cookies. A response to a request without cookies serves requests with any cookies.
/// Cookies set by a response are not stored. A stored response is used without a connection, and so without a check of
/// the server's certificate: sessions that pin different certificates need separate caches, and so do those that reach
/// an origin at different places, by `unixSockets`, `resolveOverrides` or a proxy.
public final class HTTPCache: Sendable {
    private let state: Lock<State>
    /// Returns the time, in seconds since 1970.
    let now: @Sendable () -> Double
    /// Seconds of staleness that the app allows in place of an error; `nil` if only servers do.
    let staleIfError: Double?
    /// The queue on which stored files are read.
    let queue = DispatchQueue(label: "org.moya.cache", attributes: .concurrent)
    /// Requests in flight that others may join.
    let shared = CoalescedExchanges()
    /// The recently invalidated URLs.
    let invalidations = Invalidations()
    /// The responses in use that are being validated.
    let revalidations = Lock<Set<UInt64>>([])

    private struct State {
        var store: any CacheStore
        /// The time of the last try to open the store's folder.
        var lastTry = -Double.infinity
    }

    init(
        store: any CacheStore, staleIfError: Duration? = nil,
        now: @escaping @Sendable () -> Double = { Date().timeIntervalSince1970 }
    ) {
        state = Lock(State(store: store))
        self.staleIfError = staleIfError.map { max($0.seconds, 0) }
        self.now = now
    }

    /// Makes a cache in memory, which ends with the process.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of bytes of all responses, 32 MiB by default; the least recently used are removed
    ///     first. One response may use a quarter of it.
    ///   - staleIfError: The time for which a stale response replaces an error (no connection, a timeout, a status of
    ///     500, 502, 503 or 504), if the server sets none; `nil` for no time. A response that has to be validated
    ///     (`no-cache`, `must-revalidate`) never does, nor does any for a server that is not trusted.
    public static func memory(limit: Int = 32 * 1024 * 1024, staleIfError: Duration? = nil) -> HTTPCache {
        HTTPCache(store: MemoryCacheStore(limit: limit), staleIfError: staleIfError)
    }

    /// The store, opened again if that was not possible before; tried once a second at most, since it reads files.
    var store: any CacheStore {
        let store = state.withLock { $0.store }
        guard store.mayReopen else { return store }
        let now = now()
        let isDue = state.withLock { state in
            // The clock may have been set back.
            guard abs(now - state.lastTry) >= 1 else { return false }
            state.lastTry = now
            return true
        }
        guard isDue, let reopened = store.reopened() else { return store }
        // It is unknown which responses in the folder were invalidated before.
        let count = invalidations.count
        if count > 0 { reopened.removeAll() }
        let (current, isFirst) = state.withLock { state in
            let isFirst = state.store === store
            if isFirst { state.store = reopened }
            return (state.store, isFirst)
        }
        // An invalidation meanwhile only reached the other store.
        if isFirst, invalidations.count != count { reopened.removeAll() }
        return current
    }

    /// The number of bytes used by the stored responses.
    public var size: Int { Int(clamping: store.size) }

    /// Removes all responses, including those in transit, and from a folder also those of other processes.
    ///
    /// The files are gone when it returns, but for those that are being written; of processes that have ended, also the
    /// incomplete ones. If the system cannot remove one, the folder's `onFault` is called, and later processes use none of
    /// the stored responses.
    public func removeAll() {
        invalidations.addAll()
        shared.closeAll { _ in true }
        state.withLock { $0.lastTry = -.infinity }
        store.removeAll()
    }

    /// Removes the responses of a URL, including those in transit.
    public func removeResponses(for url: URL) {
        invalidate(CacheKey.normalized(url.bareText))
    }

    /// A text that identifies a secret without revealing it.
    func fingerprint(_ secret: String) -> String {
        SHA256.text(store.salt + Array(secret.utf8), bytes: 16)
    }
}

extension Duration {
    /// Makes a duration of days of 24 hours, such as ``HTTPCache/memory(limit:staleIfError:)`` takes; at most a century.
    public static func days(_ days: Double) -> Duration { Duration(clampingSeconds: days * 86400) }
}
