import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The order of the transports that carry the requests of a session, the innermost first.
enum TransportStack {
    /// Makes a stack over a wire; a transport that has nothing to do for the session is left out.
    ///
    /// - Parameters:
    ///   - stages: The user's own.
    ///   - queue: The queue on which the cache may be changed, when the wire delivers where code must not block.
    static func make(
        over wire: any Transport, stages own: [TransportStage], credentials: CredentialFields,
        cookies: CookieEngine?, cache: ResponseCache?, httpCache: HTTPCache? = nil, cachePolicy: URLRequest.CachePolicy,
        queue: DispatchQueue
    ) -> any Transport {
        var transport = own.reversed().reduce(wire) { inner, stage in stage(inner) }
        if let cache { transport = Caching(inner: transport, cache: cache, policy: cachePolicy, queue: queue) }
        if let httpCache {
            transport = CacheTransport(inner: transport, cache: httpCache, policy: cachePolicy, queue: queue)
        }
        if let cookies { transport = Cookies(inner: transport, engine: cookies) }
        return FollowUps(inner: transport, credentials: credentials, handsOnDelegate: cache != nil || httpCache != nil)
    }
}
