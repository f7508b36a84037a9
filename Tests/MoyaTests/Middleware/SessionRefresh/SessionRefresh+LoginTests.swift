import Foundation
import Moya
import MoyaTesting
import MoyaTransport
import Testing

/// Tokens that the app stores while, or after, others are refreshed.
@Suite struct SessionRefreshLoginTests {
    private let logOuts = Recorder<Void>()

    private func provider(_ server: AuthorizationServer, _ store: InMemoryTokenStore) -> MoyaProvider<API> {
        let logOuts = logOuts
        let refresh = SessionRefresh(
            tokens: store, refreshing: { try await server.refresh($0) }, onLogOut: { logOuts.append(()) })
        return MoyaProvider(session: Session(transport: server.transport), middleware: [refresh])
    }

    @Test func secondLoginWithTheSameTokensIsRefreshedAgain() async throws {
        let server = AuthorizationServer()
        let store = InMemoryTokenStore(OAuthTokens(refreshToken: "only"))
        let provider = provider(server, store)
        _ = try await provider.request(API())
        await store.save(OAuthTokens(refreshToken: "only"))
        _ = try await provider.request(API())
        #expect(server.refreshes == ["only", "only"])
        #expect(await store.load()?.accessToken == "access2")
    }

    @Test func loginWithTheRefusedTokensIsRefreshed() async throws {
        let server = AuthorizationServer()
        server.failure.withLock { $0 = AuthorizationServer.refusal }
        let store = InMemoryTokenStore(OAuthTokens(refreshToken: "only"))
        let provider = provider(server, store)
        await #expect(throws: MoyaError.self) { try await provider.request(API()) }
        server.failure.withLock { $0 = nil }
        await store.save(OAuthTokens(refreshToken: "only"))
        #expect(try await provider.request(API()).statusCode == 200)
        #expect(server.refreshes == ["only", "only"])
    }

    @Test func loginDuringARefusedRefreshStaysAndIsUsed() async throws {
        let server = AuthorizationServer(isOpen: false)
        server.failure.withLock { $0 = AuthorizationServer.refusal }
        let store = InMemoryTokenStore(OAuthTokens(refreshToken: "old"))
        let provider = provider(server, store)
        let call = _Concurrency.Task { try await provider.request(API()) }
        try await server.gate.waitForArrivals(1)
        let login = OAuthTokens(accessToken: "access0", refreshToken: "login", expiry: .distantFuture)
        await store.save(login)
        server.gate.open()
        #expect(try await call.value.statusCode == 200)
        #expect(await store.load() == login)
        #expect(logOuts.count == 0)
    }

    /// Of a server that keeps the refresh token.
    @Test func tokensThatAnotherProcessRefreshesDuringARefusedRefreshStayAndAreUsed() async throws {
        let server = AuthorizationServer(isOpen: false)
        server.failure.withLock { $0 = AuthorizationServer.refusal }
        let store = InMemoryTokenStore(OAuthTokens(refreshToken: "old"))
        let provider = provider(server, store)
        let call = _Concurrency.Task { try await provider.request(API()) }
        try await server.gate.waitForArrivals(1)
        let newer = OAuthTokens(accessToken: "access0", refreshToken: "old", expiry: .distantFuture)
        await store.save(newer)
        server.gate.open()
        #expect(try await call.value.statusCode == 200)
        #expect(await store.load() == newer)
        #expect(logOuts.count == 0)
    }

    @Test func refreshTokenStoredAloneDuringARefreshIsUsedBeforeTheCall() async throws {
        let server = AuthorizationServer(isOpen: false)
        let transport = server.transport
        let store = InMemoryTokenStore(OAuthTokens(refreshToken: "old"))
        let refresh = SessionRefresh(tokens: store, refreshing: { try await server.refresh($0) })
        let provider = MoyaProvider<API>(session: Session(transport: transport), middleware: [refresh])
        let call = _Concurrency.Task { try await provider.request(API()) }
        try await server.gate.waitForArrivals(1)
        await store.save(OAuthTokens(refreshToken: "login"))
        server.gate.open()
        #expect(try await call.value.statusCode == 200)
        #expect(transport.requests.values.map(server.token) == ["access2"])
    }

    @Test func tokensOfALoginAreRefreshedAlthoughOthersAreBeingRefreshed() async throws {
        let server = AuthorizationServer(isOpen: false)
        let store = CountingStore(OAuthTokens(refreshToken: "old"))
        let refresh = SessionRefresh(tokens: store, refreshing: { try await server.refresh($0) })
        let provider = MoyaProvider<API>(session: Session(transport: server.transport), middleware: [refresh])
        let first = _Concurrency.Task { try await provider.request(API()) }
        try await server.gate.waitForArrivals(1)
        try await store.save(OAuthTokens(accessToken: "login", refreshToken: "login", expiry: .distantFuture))
        let second = _Concurrency.Task { try await provider.request(API()) }
        // The second call reads the tokens before it is sent, and after it was refused.
        try await store.loads.waitForArrivals(3)
        server.gate.open()
        #expect(try await first.value.statusCode == 200)
        #expect(try await second.value.statusCode == 200)
        #expect(server.refreshes == ["old", "login"])
    }

    /// A store in which the app stores or removes tokens right after they were read once.
    private final class InterruptedStore: OAuthTokenStore {
        let tokens: InMemoryTokenStore
        /// The action of the app; `nil` until it is set, and once it has run.
        let interruption = Lock<(@Sendable (InMemoryTokenStore) async -> Void)?>(nil)

        init(_ tokens: OAuthTokens) { self.tokens = InMemoryTokenStore(tokens) }

        func load() async throws -> OAuthTokens? {
            let stored = await tokens.load()
            let interruption = interruption.withLock { interruption in
                defer { interruption = nil }
                return interruption
            }
            await interruption?(tokens)
            return stored
        }

        func save(_ new: OAuthTokens) async throws { await tokens.save(new) }
        func clear() async throws { await tokens.clear() }

        func replace(_ old: OAuthTokens, with new: OAuthTokens?) async throws -> OAuthTokens? {
            await tokens.replace(old, with: new)
        }
    }

    @Test(arguments: [true, false], [OAuthTokens(accessToken: "access0", refreshToken: "login"), nil])
    func loginAndLogoutWhileTokensAreReplacedStay(isRefused: Bool, after: OAuthTokens?) async throws {
        let server = AuthorizationServer(isOpen: false)
        if isRefused { server.failure.withLock { $0 = AuthorizationServer.refusal } }
        let store = InterruptedStore(OAuthTokens(refreshToken: "old"))
        let refresh = SessionRefresh(tokens: store, refreshing: { try await server.refresh($0) })
        let provider = MoyaProvider<API>(session: Session(transport: server.transport), middleware: [refresh])
        let call = _Concurrency.Task { try await provider.request(API()) }
        try await server.gate.waitForArrivals(1)
        store.interruption.withLock { interruption in
            interruption = { (tokens: InMemoryTokenStore) in
                if let after { await tokens.save(after) } else { await tokens.clear() }
            }
        }
        server.gate.open()
        _ = await call.result
        // The first reading after the refresh, at the latest.
        _ = try await store.load()
        #expect(try await store.load() == after)
    }
}
