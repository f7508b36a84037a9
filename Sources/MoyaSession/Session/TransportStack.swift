import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Composes the transports of a session, innermost first.
enum TransportStack {
    /// Makes the stack around a transport; transports without an effect in this session are omitted.
    ///
    /// - Parameters:
    ///   - stages: The user's transports.
    ///   - credentials: The fields that are for one origin and one user.
    ///   - queue: The queue on which the cache is changed, if the transport delivers on a thread that must not be
    ///     blocked.
    static func make(
        over wire: any Transport, stages own: [TransportStage], credentials: CredentialFields,
        cookies: CookieEngine?, cache: HTTPCache?, cachePolicy: URLRequest.CachePolicy, queue: DispatchQueue
    ) -> any Transport {
        var transport = own.reversed().reduce(wire) { inner, stage in stage(inner) }
        if let cache {
            // Every response of the server may set cookies, also one that the cache does not deliver, such as a 304.
            if let cookies { transport = Cookies(inner: transport, engine: cookies, sends: false) }
            transport = CacheTransport(
                inner: transport, credentials: credentials, cache: cache, policy: cachePolicy, queue: queue)
        }
        if let cookies { transport = Cookies(inner: transport, engine: cookies, stores: cache == nil) }
        return FollowUps(inner: transport, credentials: credentials, handsOnDelegate: cache != nil)
    }
}
