import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A session with a cache whose clock the test moves, over a transport that counts the requests.
final class CacheScene: Sendable {
    let wire: StubbedTransport
    let cache: HTTPCache
    let session: Session
    private let time = SharedTime()

    init(
        _ wire: StubbedTransport, limit: Int = 1 << 20, staleIfError: Duration? = nil,
        handler: (any CachedResponseHandler)? = nil, store: (any CacheStore)? = nil
    ) {
        self.wire = wire
        let time = time
        cache = HTTPCache(store: store ?? MemoryCacheStore(limit: limit), staleIfError: staleIfError) { time.now }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = [:]
        configuration.httpCookieStorage = nil
        session = Session(
            configuration: configuration, startRequestsImmediately: false, cachedResponseHandler: handler, cache: cache,
            transport: wire)
    }

    func advance(by seconds: Double) { time.advance(by: seconds) }

    @discardableResult
    func send(
        _ method: String = "GET", _ url: String = "https://example.com/a", _ fields: [(String, String)] = [],
        policy: URLRequest.CachePolicy = .useProtocolCachePolicy
    ) async -> RequestOutcome {
        var request = URLRequest.to(url, method: method)
        request.cachePolicy = policy
        for (name, value) in fields { request.addValue(value, forHTTPHeaderField: name) }
        return await session.request(request).outcome()
    }

    func get(_ fields: [(String, String)] = []) async -> String { text(await send(fields: fields)) }

    @discardableResult
    func send(fields: [(String, String)]) async -> RequestOutcome { await send("GET", "https://example.com/a", fields) }

    func text(_ outcome: RequestOutcome) -> String { String(decoding: outcome.data ?? Data(), as: UTF8.self) }

    /// The status of the last member of `Cache-Status`.
    func status(_ outcome: RequestOutcome) -> CacheStatus? {
        (outcome.head?.values(for: "cache-status").last).flatMap { CacheStatus(fieldValue: $0) }
    }
}

/// A time in seconds since 1970 that a test moves.
final class SharedTime: Sendable {
    private let state = Lock(1_000_000_000.0)
    var now: Double { state.value }
    func advance(by seconds: Double) { state.withLock { $0 += seconds } }
}

extension CacheRequest {
    /// A request of a test, with these fields.
    static func of(_ method: String = "GET", _ fields: [(String, String)] = []) -> CacheRequest {
        CacheRequest(
            HTTPRequest(
                method: method, url: "https://example.com/a",
                fields: fields.map { HTTPField(name: $0.0, value: $0.1) }),
            fingerprint: { $0 })
    }
}

extension [HTTPField] {
    init(_ pairs: [(String, String)]) { self = pairs.map { HTTPField(name: $0.0, value: $0.1) } }
}
