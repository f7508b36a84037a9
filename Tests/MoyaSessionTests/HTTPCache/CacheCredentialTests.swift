import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Responses of a cache that two users share, told apart by fields of any name.
@Suite struct CacheCredentialTests {
    private static let fresh = [("Cache-Control", "max-age=60")]
    private let url = "https://example.com/a"

    private func wire() -> StubbedTransport {
        StubbedTransport(.response(200, Self.fresh, "one"), .response(200, Self.fresh, "two"))
    }

    private func session(
        _ wire: StubbedTransport, _ cache: HTTPCache, _ policy: CredentialPolicy = CredentialPolicy(),
        interceptor: (any RequestInterceptor)? = nil
    ) -> Session {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = [:]
        configuration.httpCookieStorage = nil
        return Session(
            configuration: configuration, startRequestsImmediately: false, interceptor: interceptor, cache: cache,
            credentialPolicy: policy, transport: wire)
    }

    private func get(_ session: Session, _ name: String, _ value: String, keeping own: Set<String> = []) async -> String
    {
        var request = URLRequest.to(url)
        request.setValue(value, forHTTPHeaderField: name)
        let sent = session.request(request)
        sent.keepFieldsAtOrigin(own)
        return String(decoding: await sent.outcome().data ?? Data(), as: UTF8.self)
    }

    @Test(arguments: ["X-User-Key", "X-Key", "x-team-KEY", "X-Authentication"], [true, false])
    func aResponseIsUsedForItsCredentialOnly(name: String, inURLCache: Bool) async {
        let urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
        let scene = CacheScene(wire(), store: inURLCache ? URLCacheStore(urlCache) : nil)
        #expect(await scene.get([(name, "alice")]) == "one")
        #expect(await scene.get([(name, "bob")]) == "two")
        #expect(await scene.get([(name, "bob")]) == "two")
        #expect(scene.wire.requests.count == 2)
    }

    @Test func theOrderOfACredentialsFieldsIsNoPartOfIt() {
        let fields = [("Authorization", "Bearer t"), ("X-Api-Key", "k")]
        #expect(CacheRequest.of("GET", fields).credential == CacheRequest.of("GET", fields.reversed()).credential)
    }

    @Test(arguments: ["X-Tenant", "x-tenant", "User-Agent"])
    func aFieldOfTheCredentialPolicySeparatesUsers(name: String) async {
        let session = session(wire(), .memory(), CredentialPolicy(fields: ["X-TENANT", "User-Agent"]))
        #expect(await get(session, name, "alice") == "one")
        #expect(await get(session, name, "bob") == "two")
    }

    @Test func aFieldOfARequestSeparatesUsersInAnyCase() async {
        let session = session(wire(), .memory())
        #expect(await get(session, "X-Odd", "alice", keeping: ["x-odd"]) == "one")
        #expect(await get(session, "X-Odd", "bob", keeping: ["x-odd"]) == "two")
    }

    @Test func aPresetFieldOfAnAuthenticatorSeparatesUsers() async {
        let (wire, cache) = (wire(), HTTPCache.memory())
        var texts: [String] = []
        for user in ["alice", "bob"] {
            let interceptor = AuthenticationInterceptor(
                authenticator: FieldAuthenticator("X-Odd"), credential: FieldAuthenticator.Credential(value: user))
            texts.append(await get(session(wire, cache, interceptor: interceptor), "X-Odd", user))
        }
        #expect(texts == ["one", "two"])
    }

    @Test func aFieldOfAnAuthenticatorThatThePolicyNamesSeparatesUsers() async {
        let (wire, cache) = (wire(), HTTPCache.memory())
        var texts: [String] = []
        for user in ["alice", "bob"] {
            let interceptor = AuthenticationInterceptor(
                authenticator: FieldAuthenticator("X-Tenant"), credential: FieldAuthenticator.Credential(value: user))
            let session = session(wire, cache, CredentialPolicy(fields: ["x-TENANT"]), interceptor: interceptor)
            let outcome = await session.request(URLRequest.to(url)).outcome()
            texts.append(String(decoding: outcome.data ?? Data(), as: UTF8.self))
        }
        #expect(texts == ["one", "two"])
    }

    @Test(arguments: ["X-User-Key", "X-Api-Key", "X-Authentication"])
    func aCredentialThatVariesIsStoredAsAFingerprint(name: String) async {
        let scene = CacheScene(StubbedTransport(.response(200, Self.fresh + [("Vary", name)], "one")))
        for _ in 0..<2 { #expect(await scene.get([(name, "alice-secret")]) == "one") }
        #expect(scene.wire.requests.count == 1)
        let variants = scene.cache.store.responses(for: url).flatMap(\.variants)
        #expect(variants.map { $0.value.contains("alice-secret") } == [false])
    }
}
