import Foundation
import Moya
import MoyaTesting
import MoyaTransport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct SessionRefreshTests {
    private let clock = TestClock()
    private let logOuts = Recorder<Void>()

    private var expired: OAuthTokens {
        OAuthTokens(accessToken: "access0", refreshToken: "refresh0", expiry: clock.date.addingTimeInterval(-1))
    }

    private func valid(_ token: String = "access0", refreshToken: String? = "refresh0") -> OAuthTokens {
        OAuthTokens(accessToken: token, refreshToken: refreshToken, expiry: .distantFuture)
    }

    private func provider(
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

    private func result(_ call: @escaping @Sendable () async throws -> Response) async -> Result<Response, MoyaError>? {
        Result<Response, MoyaError>.of(await _Concurrency.Task { try await call() }.result)
    }

    private func refreshError(_ result: Result<Response, MoyaError>?) -> SessionRefreshError? {
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

    // MARK: Failing

    @Test(arguments: [
        MoyaError.statusCode(Response(statusCode: 400, data: Data(#"{"error":"invalid_grant"}"#.utf8))),
        .underlying(SessionRefreshError.refused(nil), nil), AuthorizationServer.refusal,
    ])
    func refusalDropsTheTokens(_ error: MoyaError) async {
        let server = AuthorizationServer()
        server.failure.withLock { $0 = error }
        let store = InMemoryTokenStore(expired)
        let provider = provider(server, store)
        guard case .refused? = refreshError(await result { try await provider.request(API()) }) else {
            Issue.record("not refused")
            return
        }
        #expect(await store.load() == nil)
    }

    @Test func refusalOfTheClientKeepsTheTokens() async {
        let server = AuthorizationServer()
        let refusal = Response(statusCode: 401, data: Data(#"{"error":"invalid_client"}"#.utf8))
        server.failure.withLock { $0 = MoyaError.statusCode(refusal) }
        let store = InMemoryTokenStore(expired)
        let provider = provider(server, store)
        #expect(await result { try await provider.request(API()) }?.error?.response?.statusCode == 401)
        #expect(await store.load() != nil)
        #expect(logOuts.count == 0)
    }

    @Test func refusalBehindARedirectToAnotherOriginNeitherRefreshesNorRepeats() async throws {
        let server = AuthorizationServer()
        let transport = StepwiseTransport { request, exchange in
            guard !request.url.contains("elsewhere") else { return exchange.answer(401) }
            exchange.head(303, ["Location": "https://elsewhere.example/"])
            exchange.end()
        }
        let provider = provider(server, InMemoryTokenStore(valid()), transport: transport)
        #expect(try await provider.request(API()).statusCode == 401)
        #expect(server.refreshes.count == 0)
        #expect(transport.requests.count == 2)
    }

    @Test(arguments: [400, 403, 500, 503])
    func otherFailureKeepsTheTokensAndTheNextCallTriesAgain(_ status: Int) async throws {
        let server = AuthorizationServer()
        server.failure.withLock { $0 = MoyaError.statusCode(Response(statusCode: status, data: Data("{}".utf8))) }
        let store = InMemoryTokenStore(expired)
        let provider = provider(server, store)
        #expect(await result { try await provider.request(API()) }?.error?.response?.statusCode == status)
        server.failure.withLock { $0 = nil }
        #expect(try await provider.request(API()).statusCode == 200)
        #expect(logOuts.count == 0)
    }

    /// Makes a call that a refresh with a limit of 20 seconds fails after a time.
    private func exceedLimit(_ provider: MoyaProvider<API>, after time: Duration = .seconds(20)) async throws {
        let call = _Concurrency.Task { try await provider.request(API()) }
        // The limits of the call and of the refresh.
        try await clock.waitForSleepers(2)
        clock.advance(by: time)
        guard case .tookTooLong? = refreshError(Result<Response, MoyaError>.of(await call.result)) else {
            Issue.record("no bound")
            return
        }
    }

    @Test func aRefreshBeyondTheLimitIsNotLost() async throws {
        let server = AuthorizationServer(isOpen: false)
        let store = InMemoryTokenStore(expired)
        let provider = provider(server, store, limit: .seconds(20))
        try await exceedLimit(provider)
        async let later = provider.request(API())
        try await clock.waitForSleepers(2)
        server.gate.open()
        #expect(try await later.statusCode == 200)
        #expect(server.refreshes == ["refresh0"])
        #expect(await store.load()?.refreshToken == "refresh1")
    }

    @Test func aRefusalBeyondTheLimitLogsOut() async throws {
        let server = AuthorizationServer(isOpen: false)
        server.failure.withLock { $0 = AuthorizationServer.refusal }
        let store = InMemoryTokenStore(expired)
        let provider = provider(server, store, limit: .seconds(20))
        try await exceedLimit(provider)
        let later = _Concurrency.Task { try await provider.request(API()) }
        try await clock.waitForSleepers(2)
        server.gate.open()
        guard case .refused? = refreshError(Result<Response, MoyaError>.of(await later.result)) else {
            Issue.record("not refused")
            return
        }
        #expect(await store.load() == nil)
        #expect(server.refreshes == ["refresh0"])
    }

    @Test func aRefreshThatNeverEndsIsGivenUp() async throws {
        let (clock, store) = (clock, InMemoryTokenStore(expired))
        let begun = Recorder<String>()
        let held = Lock<[CheckedContinuation<Void, Never>]>([])
        let refresh = SessionRefresh(
            tokens: store, refreshingAtMost: .seconds(20), now: { clock.date },
            refreshing: { refreshToken in
                begun.append(refreshToken)
                // It ignores its cancellation.
                if begun.count == 1 { await withCheckedContinuation { wait in held.withLock { $0.append(wait) } } }
                return OAuthTokens(accessToken: "access\(begun.count)", lifetime: 3_600)
            })
        let provider = MoyaProvider<API>(
            session: Session(transport: StepwiseTransport.answering()), middleware: [refresh], clock: clock)
        for _ in 0..<4 { try await exceedLimit(provider) }
        clock.advance(by: .seconds(10))
        // After five times the limit, and before that of the call.
        try await exceedLimit(provider, after: .seconds(10))
        #expect(begun.count == 1)
        #expect(try await provider.request(API()).statusCode == 200)
        #expect(begun.count == 2)
        #expect(await store.load()?.accessToken == "access2")
        for wait in held.withLock({ $0 }) { wait.resume() }
    }

    @Test func emptyAccessTokenIsAnError() async {
        let refresh = SessionRefresh(tokens: InMemoryTokenStore(OAuthTokens(refreshToken: "r"))) { _ in
            OAuthTokens(accessToken: "")
        }
        let provider = MoyaProvider<API>(stubClosure: MoyaProvider.immediatelyStub, middleware: [refresh])
        guard case .emptyAccessToken? = refreshError(await result { try await provider.request(API()) }) else {
            Issue.record("taken for a token")
            return
        }
    }

    @Test func tokensRemovedDuringTheRefreshStayRemoved() async throws {
        let server = AuthorizationServer(isOpen: false)
        let store = InMemoryTokenStore(expired)
        let provider = provider(server, store)
        let call = _Concurrency.Task { try await provider.request(API()) }
        try await server.gate.waitForArrivals(1)
        await store.clear()
        server.gate.open()
        guard case .loggedOut? = refreshError(Result<Response, MoyaError>.of(await call.result)) else {
            Issue.record("logged in again")
            return
        }
        #expect(await store.load() == nil)
    }

    @Test func loginAfterALogOutIsUsed() async throws {
        let server = AuthorizationServer()
        server.failure.withLock { $0 = AuthorizationServer.refusal }
        let store = InMemoryTokenStore(expired)
        let provider = provider(server, store)
        _ = await result { try await provider.request(API()) }
        await store.save(valid(refreshToken: "login"))
        #expect(try await provider.request(API()).statusCode == 200)
    }

    // MARK: Bypassing

    @Test func refreshThroughTheSameProviderBypassesTheMiddleware() async throws {
        let box = Recorder<MoyaProvider<API>>()
        let store = InMemoryTokenStore(expired)
        let clock = clock
        let transport = StepwiseTransport.answering(200, #"{"access_token":"new"}"#)
        let refresh = SessionRefresh(tokens: store, now: { clock.date }) { _ in
            try await box.values[0].request(API(path: "/refresh"), as: OAuthTokens.self)
        }
        box.append(MoyaProvider(session: Session(transport: transport), middleware: [refresh], trackInflights: true))
        _ = try await box.values[0].request(API())
        #expect(transport.requests.values.map(\.url).map { $0.hasSuffix("/refresh") } == [true, false])
        #expect(transport.requests.values[0].fields.contains { $0.name == "Authorization" } == false)
        box.removeAll()
    }

    @Test func callOfATaskThatTheRefreshStartedHasATokenOnceTheRefreshIsOver() async throws {
        let box = Recorder<MoyaProvider<API>>()
        let store = InMemoryTokenStore(expired)
        let clock = clock
        let transport = StepwiseTransport.answering()
        let (isRefreshed, done) = (Promise<Void>(), Promise<Void>())
        let tokens = valid("new")
        let refresh = SessionRefresh(tokens: store, now: { clock.date }) { _ in
            _Concurrency.Task {
                try await isRefreshed.value
                _ = try? await box.values[0].request(API())
                done.fulfill(())
            }
            return tokens
        }
        box.append(MoyaProvider(session: Session(transport: transport), middleware: [refresh]))
        _ = try await box.values[0].request(API())
        isRefreshed.fulfill(())
        try await done.value
        #expect(
            transport.requests.values.map { $0.fields.first { $0.name == "Authorization" }?.value }
                == ["Bearer new", "Bearer new"])
        box.removeAll()
    }

    @Test func callWithinTheLogOutIsOrdinary() async throws {
        let box = Recorder<MoyaProvider<API>>()
        let store = InMemoryTokenStore(expired)
        let clock = clock
        let tokens = valid("again")
        let transport = StepwiseTransport.answering()
        let done = Promise<Void>()
        let refresh = SessionRefresh(
            tokens: store, now: { clock.date }, refreshing: { _ in throw AuthorizationServer.refusal },
            onLogOut: {
                await store.save(tokens)
                _ = try? await box.values[0].request(API())
                done.fulfill(())
            })
        box.append(MoyaProvider(session: Session(transport: transport), middleware: [refresh]))
        _ = try? await box.values[0].request(API())
        try await done.value
        #expect(
            transport.requests.values.map { $0.fields.first { $0.name == "Authorization" }?.value } == ["Bearer again"])
        box.removeAll()
    }

    @Test func targetWithoutAnAuthorizationTypeHasNoToken() async throws {
        let transport = StepwiseTransport.answering()
        let refresh = SessionRefresh(tokens: InMemoryTokenStore(valid())) { _ in throw AuthorizationServer.refusal }
        let provider = MoyaProvider<AuthorizedAPI>(session: Session(transport: transport), middleware: [refresh])
        _ = try await provider.request(AuthorizedAPI(authorizationType: nil))
        _ = try await provider.request(AuthorizedAPI(authorizationType: .custom("Token")))
        #expect(
            transport.requests.values.map { $0.fields.first { $0.name == "Authorization" }?.value }
                == [nil, "Token access0"])
    }

    @Test func pluginOfTheProviderPutsTheTokenOfItsTargets() async throws {
        let transport = StepwiseTransport.answering()
        let refresh = SessionRefresh(tokens: InMemoryTokenStore(valid())) { _ in throw AuthorizationServer.refusal }
        let provider = MoyaProvider<AuthorizedAPI>(
            session: Session(transport: transport), middleware: [refresh],
            plugins: [AccessTokenPlugin { _ in "plugin" }])
        _ = try await provider.request(AuthorizedAPI(authorizationType: .bearer))
        #expect(
            transport.requests.values[0].fields.filter { $0.name == "Authorization" }.map(\.value) == ["Bearer plugin"])
    }

    @Test(arguments: [("Basic YTpi", "Basic YTpi"), ("Bearer stale", "Bearer access0")])
    func authorizationOfAnotherSchemeIsKept(_ own: String, _ sent: String) async throws {
        let transport = StepwiseTransport.answering()
        let refresh = SessionRefresh(tokens: InMemoryTokenStore(valid())) { _ in throw AuthorizationServer.refusal }
        let provider = MoyaProvider<API>(session: Session(transport: transport), middleware: [refresh])
        _ = try await provider.request(API(headers: ["Authorization": own]))
        #expect(transport.requests.values[0].fields.filter { $0.name == "Authorization" }.map(\.value) == [sent])
    }

    @Test func tokenIsPlacedAsConfigured() async throws {
        let transport = StepwiseTransport.answering()
        for location in [.field("X-Access-Token"), .custom { $1.setValue($0, forHTTPHeaderField: "X-Other") }, .none]
            as [TokenLocation]
        {
            let refresh = SessionRefresh(tokens: InMemoryTokenStore(valid()), location: location) { _ in
                throw AuthorizationServer.refusal
            }
            let provider = MoyaProvider<API>(session: Session(transport: transport), middleware: [refresh])
            _ = try await provider.request(API())
        }
        #expect(
            transport.requests.values.map { $0.fields.filter { $0.value == "access0" }.map(\.name) }
                == [["X-Access-Token"], ["X-Other"], []])
    }
}
