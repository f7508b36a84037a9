import Foundation
import Moya
import MoyaSession
import Testing

/// Apache as a caching proxy, an origin behind it that counts its requests, and a session's cache before it.
@Suite(.needsServers, .timeLimit(.minutes(5)))
struct CachingProxyTests {
    let servers: Servers
    /// A word of this test alone, under which the origin records its requests.
    let key = uniqueMark()

    init() throws { servers = try #require(Servers.running) }

    /// An answer of the proxy or a cache.
    private struct Answer {
        let status: Int
        let text: String
        private let response: HTTPURLResponse

        init(_ outcome: AFDataResponse<Data?>) throws {
            response = try #require(outcome.response, "\(outcome)")
            status = response.statusCode
            text = String(decoding: outcome.data ?? Data(), as: UTF8.self)
        }

        func field(_ name: String) -> String? { response.value(forHTTPHeaderField: name) }
        /// The action of the proxy: `HIT`, `MISS`, `REVALIDATE`.
        var proxyDid: String? { field("X-Cache").flatMap { $0.split(separator: " ").first.map(String.init) } }
        var age: Int? { field("Age").flatMap { Int($0) } }
    }

    private func session(hasCache: Bool) -> Session {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = hasCache ? URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil) : nil
        return Session(
            configuration: configuration, startRequestsImmediately: false,
            transportConfiguration: TransportConfiguration(
                proxy: .custom(.init(.http, host: "127.0.0.1", port: servers.cachePort))))
    }

    private func get(
        _ session: Session, control: String, age: Int? = nil, policy: URLRequest.CachePolicy = .useProtocolCachePolicy
    ) async throws -> Answer {
        var components = try #require(URLComponents(url: servers.origin.url, resolvingAgainstBaseURL: false))
        components.path = "/cached/\(key)"
        components.queryItems = [URLQueryItem(name: "control", value: control)]
        if let age { components.queryItems?.append(URLQueryItem(name: "age", value: "\(age)")) }
        let request = URLRequest(url: try #require(components.url), cachePolicy: policy)
        return try Answer(await session.request(request).outcome())
    }

    // MARK: The proxy alone

    @Test func responseStoredByTheProxyHasAnAge() async throws {
        let session = session(hasCache: false)
        #expect(try await get(session, control: "max-age=60").proxyDid == "MISS")
        let second = try await get(session, control: "max-age=60")
        #expect(second.proxyDid == "HIT")
        #expect(second.age != nil)
        #expect(second.text == "version 0")
        #expect(try await servers.origin.gets(key).count == 1)
    }

    @Test func proxyValidatesItsStoredResponses() async throws {
        let session = session(hasCache: false)
        _ = try await get(session, control: "max-age=0")
        let second = try await get(session, control: "max-age=0")
        #expect(second.proxyDid == "REVALIDATE")
        #expect(second.text == "version 0")
        #expect(try await servers.origin.gets(key).map(\.status) == [200, 304])
    }

    @Test func distinguishesAStaleAnswerFromAFreshOne() async throws {
        let session = session(hasCache: false)
        _ = try await get(session, control: "max-age=0")
        try await servers.origin.fail(key)
        let second = try await get(session, control: "max-age=0")
        #expect(second.status == 200)
        #expect(second.text == "version 0")
        #expect(second.field("Warning")?.hasPrefix("111") == true)
    }

    @Test func aRequestThatWantsNoCacheReachesTheOrigin() async throws {
        let session = session(hasCache: true)
        _ = try await get(session, control: "max-age=60")
        try await servers.origin.change(key)
        let second = try await get(session, control: "max-age=60", policy: .reloadIgnoringLocalAndRemoteCacheData)
        #expect(second.text == "version 1")
        #expect(try await servers.origin.gets(key).map(\.condition) == ["", ""])
    }

    // MARK: The session's cache before it

    @Test func freshResponseOfTheSessionsCacheReachesNoServer() async throws {
        let session = session(hasCache: true)
        _ = try await get(session, control: "max-age=60")
        let second = try await get(session, control: "max-age=60")
        // The proxy's first response: it received no second request.
        #expect(second.proxyDid == "MISS")
        #expect(second.text == "version 0")
    }

    @Test func aConfirmationComesThroughTheProxy() async throws {
        let session = session(hasCache: true)
        _ = try await get(session, control: "max-age=0")
        let second = try await get(session, control: "max-age=0")
        #expect(second.status == 200)
        #expect(second.text == "version 0")
        #expect(try await servers.origin.gets(key).map(\.status) == [200, 304])
    }

    @Test func aChangeComesThroughTheProxy() async throws {
        let session = session(hasCache: true)
        _ = try await get(session, control: "max-age=0")
        try await servers.origin.change(key)
        #expect(try await get(session, control: "max-age=0").text == "version 1")
        #expect(try await get(session, control: "max-age=0").text == "version 1")
        #expect(try await servers.origin.gets(key).map(\.status) == [200, 200, 304])
    }

    @Test func theAgeThatAnAnswerBringsCounts() async throws {
        let session = session(hasCache: true)
        _ = try await get(session, control: "max-age=600", age: 500)
        let second = try await get(session, control: "max-age=600", age: 500)
        #expect(second.proxyDid == "MISS")
        #expect((500..<600).contains(second.age ?? 0))
        #expect(try await servers.origin.gets(key).count == 1)
    }

    @Test func responseTooOldOnArrivalIsRequestedAgain() async throws {
        let session = session(hasCache: true)
        _ = try await get(session, control: "max-age=600", age: 700)
        #expect(try await get(session, control: "max-age=600", age: 700).text == "version 0")
        #expect(try await servers.origin.gets(key).map(\.condition) == ["", "\"v0\""])
    }

    @Test func responseStoredForAnotherSessionIsUsedWithItsAge() async throws {
        _ = try await get(session(hasCache: false), control: "max-age=600", age: 500)
        let session = session(hasCache: true)
        #expect(try await get(session, control: "max-age=600", age: 500).proxyDid == "HIT")
        try await servers.origin.change(key)
        let second = try await get(session, control: "max-age=600", age: 500)
        #expect(second.text == "version 0")
        #expect((500..<600).contains(second.age ?? 0))
        #expect(try await servers.origin.gets(key).count == 1)
    }

    @Test func aStaleAnswerDoesNotConfirm() async throws {
        let session = session(hasCache: true)
        _ = try await get(session, control: "max-age=0")
        try await servers.origin.fail(key)
        let stale = try await get(session, control: "max-age=0")
        #expect(stale.text == "version 0")
        #expect(stale.field("Warning")?.hasPrefix("111") == true)
        // It is requested again instead of being taken for fresh.
        _ = try await get(session, control: "max-age=0")
        #expect(try await servers.origin.gets(key).map(\.status) == [200, 503, 503])
    }
}
