import Foundation
import Moya
import MoyaTesting
import MoyaTransport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct SessionRefreshTests {
    let clock = TestClock()
    let logOuts = Recorder<Void>()

    var expired: OAuthTokens {
        OAuthTokens(accessToken: "access0", refreshToken: "refresh0", expiry: clock.date.addingTimeInterval(-1))
    }

    func valid(_ token: String = "access0", refreshToken: String? = "refresh0") -> OAuthTokens {
        OAuthTokens(accessToken: token, refreshToken: refreshToken, expiry: .distantFuture)
    }

    func provider(
        _ server: AuthorizationServer, _ store: any OAuthTokenStore, transport: StepwiseTransport? = nil,
        limit: Duration = .seconds(60), plugins: [any PluginType] = []
    ) -> MoyaProvider<API> {
        let (clock, logOuts) = (clock, logOuts)
        let refresh = SessionRefresh(
            tokens: store, refreshingAtMost: limit, now: { clock.date }, refreshing: { try await server.refresh($0) },
            onLogOut: { logOuts.append(()) })
        return MoyaProvider(
            session: Session(transport: transport ?? server.transport), middleware: [refresh], plugins: plugins,
            clock: clock)
    }

    func result(_ call: @escaping @Sendable () async throws -> Response) async -> Result<Response, MoyaError>? {
        Result<Response, MoyaError>.of(await _Concurrency.Task { try await call() }.result)
    }

    func refreshError(_ result: Result<Response, MoyaError>?) -> SessionRefreshError? {
        guard case .underlying(let error, _)? = result?.error else { return nil }
        return error as? SessionRefreshError
    }

    /// Makes calls at once, and gives their ends.
    private func ends(
        of count: Int, _ provider: MoyaProvider<API>, afterBegun: @Sendable () async throws -> Void = {}
    ) async throws -> [Result<Response, MoyaError>] {
        let ends = Promise<Result<Response, MoyaError>>()
        for _ in 0..<count { provider.request(API(), callbackQueue: .global()) { ends.fulfill($0) } }
        try await afterBegun()
        var results: [Result<Response, MoyaError>] = []
        for _ in 0..<count { results.append(try await ends.value) }
        return results
    }

    // MARK: Tokens

    @Test func aRefreshedTokenIsSentWherePluginsRunBefore() async throws {
        struct Authorized: TargetType, AccessTokenAuthorizable {
            let api = API()
            var baseURL: URL { api.baseURL }
            var path: String { api.path }
            var method: Moya.Method { .get }
            var task: RequestTask { .requestPlain }
            var headers: [String: String]? { nil }
            var authorizationType: AuthorizationType? { .bearer }
        }
        let server = AuthorizationServer()
        let transport = server.transport
        let (clock, store) = (clock, InMemoryTokenStore(expired))
        let refresh = SessionRefresh(
            tokens: store, now: { clock.date }, refreshing: { try await server.refresh($0) })
        let provider = MoyaProvider<Authorized>(
            session: Session(transport: transport), middleware: [PluginsMiddleware(), refresh],
            plugins: [AccessTokenPlugin { _ in "access0" }], clock: clock)
        #expect(try await provider.request(Authorized()).statusCode == 200)
        #expect(transport.requests.values.map { server.token(of: $0) } == ["access1"])
        #expect(server.refreshes == ["refresh0"])
    }

    @Test func validTokenIsUsed() async throws {
        let server = AuthorizationServer()
        let transport = server.transport
        let provider = provider(server, InMemoryTokenStore(valid()), transport: transport)
        #expect(try await provider.request(API()).statusCode == 200)
        #expect(transport.requests.values.map { server.token(of: $0) } == ["access0"])
        #expect(server.refreshes.isEmpty)
    }

    @Test func expiredTokenIsRefreshedFirstAndStored() async throws {
        let server = AuthorizationServer()
        let transport = server.transport
        let store = InMemoryTokenStore(expired)
        let provider = provider(server, store, transport: transport)
        #expect(try await provider.request(API()).statusCode == 200)
        #expect(transport.requests.values.map { server.token(of: $0) } == ["access1"])
        #expect(
            await store.load()
                == OAuthTokens(
                    accessToken: "access1", refreshToken: "refresh1", expiry: clock.date.addingTimeInterval(3_600),
                    lifetime: 3_600))
    }

    @Test func missingTokenIsRenewedFirst() async throws {
        let server = AuthorizationServer()
        let provider = provider(server, InMemoryTokenStore(OAuthTokens(refreshToken: "only")))
        #expect(try await provider.request(API()).statusCode == 200)
        #expect(server.refreshes == ["only"])
    }

    @Test func callWithoutCredentialsIsMadeWithoutAToken() async throws {
        let server = AuthorizationServer()
        let transport = server.transport
        let provider = provider(server, InMemoryTokenStore(), transport: transport)
        #expect(try await provider.request(API()).statusCode == 401)
        #expect(transport.requests.values.map { server.token(of: $0) } == [nil])
        #expect(server.refreshes.isEmpty)
    }

    @Test func expiredTokenWithoutARefreshTokenIsUsedAsItIs() async throws {
        let server = AuthorizationServer()
        var tokens = expired
        tokens.refreshToken = nil
        let provider = provider(server, InMemoryTokenStore(tokens))
        #expect(try await provider.request(API()).statusCode == 200)
        #expect(server.refreshes.isEmpty)
    }

    @Test func tokenIsRenewedBeforeItsExpiryByTheClockSkew() async throws {
        let server = AuthorizationServer()
        var tokens = valid()
        tokens.expiry = clock.date.addingTimeInterval(29)
        _ = try await provider(server, InMemoryTokenStore(tokens)).request(API())
        #expect(server.refreshes == ["refresh0"])
    }

    @Test func clockSkewIsAtMostAQuarterOfTheLifetime() async throws {
        let server = AuthorizationServer(lifetime: 8)
        let provider = provider(server, InMemoryTokenStore(expired))
        _ = try await provider.request(API())
        clock.advance(by: .seconds(5))
        _ = try await provider.request(API())
        #expect(server.refreshes.count == 1)
        clock.advance(by: .seconds(2))
        _ = try await provider.request(API())
        #expect(server.refreshes.count == 2)
    }

    @Test func tokenOfUnknownExpiryIsUsedUntilItIsRefused() async throws {
        let server = AuthorizationServer(lifetime: nil)
        let provider = provider(server, InMemoryTokenStore(OAuthTokens(accessToken: "old", refreshToken: "r")))
        #expect(try await provider.request(API()).statusCode == 200)
        #expect(server.refreshes == ["r"])
    }

    @Test func refreshTokenIsKeptWhenTheServerSendsNoOther() async throws {
        let store = InMemoryTokenStore(expired)
        let clock = clock
        let refresh = SessionRefresh(tokens: store, now: { clock.date }) { _ in OAuthTokens(accessToken: "new") }
        let provider = MoyaProvider<API>(stubClosure: MoyaProvider.immediatelyStub, middleware: [refresh])
        _ = try await provider.request(API())
        #expect(await store.load() == OAuthTokens(accessToken: "new", refreshToken: "refresh0"))
    }

    // MARK: 401

    @Test func refusedTokenIsRefreshedAndTheCallRepeatedOnce() async throws {
        let server = AuthorizationServer()
        let transport = server.transport
        let provider = provider(server, InMemoryTokenStore(valid("revoked")), transport: transport)
        #expect(try await provider.request(API()).statusCode == 200)
        #expect(transport.requests.values.map { server.token(of: $0) } == ["revoked", "access1"])
    }

    @Test func refusedTokenIsRenewedWhenTheTargetValidates() async throws {
        let server = AuthorizationServer()
        let provider = provider(server, InMemoryTokenStore(valid("revoked")))
        #expect(try await provider.request(API(validationType: .successCodes)).statusCode == 200)
    }

    @Test func secondRefusalIsTheEndOfTheCall() async throws {
        let server = AuthorizationServer()
        let transport = StepwiseTransport.answering(401)
        let provider = provider(server, InMemoryTokenStore(valid()), transport: transport)
        #expect(try await provider.request(API()).statusCode == 401)
        #expect(transport.requests.count == 2)
        #expect(server.refreshes.count == 1)
    }

    @Test func refreshLongerThanTheTokensLifetimeDoesNotLoop() async throws {
        let server = AuthorizationServer(lifetime: 1, isOpen: false)
        let transport = StepwiseTransport.answering(401)
        let provider = provider(server, InMemoryTokenStore(expired), transport: transport)
        async let response = provider.request(API())
        for refresh in 1...2 {
            try await server.gate.waitForArrivals(refresh)
            clock.advance(by: .seconds(2))
            server.gate.open(times: 1)
        }
        #expect(try await response.statusCode == 401)
        #expect(server.refreshes.count == 2)
        #expect(transport.requests.count == 2)
    }

    @Test func streamedBodyIsNotSentASecondTime() async throws {
        let server = AuthorizationServer()
        let transport = server.transport
        let provider = provider(server, InMemoryTokenStore(valid("revoked")), transport: transport)
        let part = MultipartFormData(provider: .stream(InputStream(data: Data("a".utf8)), 1), name: "a")
        let response = try await provider.request(API(method: .put, task: .uploadMultipart([part])))
        #expect(response.statusCode == 401)
        #expect(transport.requests.count == 1)
    }

    // MARK: Many calls

    @Test func aThousandCallsWithAnExpiredTokenRefreshOnce() async throws {
        let server = AuthorizationServer(isOpen: false)
        let provider = provider(server, InMemoryTokenStore(expired))
        let ends = try await ends(of: 1_000, provider) {
            try await server.gate.waitForArrivals(1)
            server.gate.open()
        }
        #expect(ends.allSatisfy { $0.response?.statusCode == 200 })
        #expect(server.refreshes == ["refresh0"])
    }

    @Test func aThousandCallsWithARevokedTokenRefreshOnce() async throws {
        let server = AuthorizationServer()
        let provider = provider(server, InMemoryTokenStore(valid("revoked")))
        let ends = try await ends(of: 1_000, provider)
        #expect(ends.allSatisfy { $0.response?.statusCode == 200 })
        #expect(server.refreshes == ["refresh0"])
    }

    @Test(arguments: [true, false])
    func refusedRefreshFailsAThousandCallsAndLogsOutOnce(_ isExpired: Bool) async throws {
        let server = AuthorizationServer(isOpen: false)
        server.failure.withLock { $0 = AuthorizationServer.refusal }
        let store = CountingStore(isExpired ? expired : valid("revoked"))
        let transport = server.transport
        let provider = provider(server, store, transport: transport)
        let ends = Promise<Result<Response, MoyaError>>()
        for _ in 0..<1_000 { provider.request(API(), callbackQueue: .global()) { ends.fulfill($0) } }
        // Each has read the store by then, once before its request and once after a 401.
        try await store.loads.waitForArrivals(isExpired ? 1_000 : 2_000)
        server.gate.open()
        var failures = 0
        for _ in 0..<1_000 {
            if case .refused? = refreshError(try await ends.value) { failures += 1 }
        }
        #expect(failures == 1_000)
        #expect(server.refreshes == ["refresh0"])
        #expect(transport.requests.values.allSatisfy { server.token(of: $0) == "revoked" })
        #expect(try await store.load() == nil)
        #expect(logOuts.count == 1)
    }

    @Test func callThatBeganTheRefreshIsCancelledAndTheOthersSucceed() async throws {
        let server = AuthorizationServer(isOpen: false)
        let provider = provider(server, InMemoryTokenStore(expired))
        let first = _Concurrency.Task { try await provider.request(API()) }
        try await server.gate.waitForArrivals(1)
        let ends = try await ends(of: 10, provider) {
            first.cancel()
            #expect(Result<Response, MoyaError>.of(await first.result)?.isCancelled == true)
            server.gate.open()
        }
        #expect(ends.allSatisfy { $0.response?.statusCode == 200 })
        #expect(server.refreshes.count == 1)
    }
}
