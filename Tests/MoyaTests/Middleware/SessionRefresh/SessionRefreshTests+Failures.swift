import Foundation
import Moya
import MoyaTesting
import MoyaTransport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Refreshes that fail, or never end.
extension SessionRefreshTests {
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

    /// Unwraps the response, as a plugin that decrypts does.
    private struct Unwrapping: PluginType {
        func process(_ result: Result<Response, MoyaError>, target: any TargetType) -> Result<Response, MoyaError> {
            result.map {
                Response(statusCode: $0.statusCode, data: $0.data, request: $0.request, response: $0.response)
            }
        }
    }

    @Test(arguments: [false, true])
    func refusalBehindAPostThatHadItsEffectNeitherRefreshesNorRepeats(isUnwrapped: Bool) async throws {
        let server = AuthorizationServer()
        let transport = StepwiseTransport { request, exchange in
            guard request.method == "POST" else { return exchange.answer(401) }
            exchange.head(303, ["Location": request.url])
            exchange.end()
        }
        let provider = provider(
            server, InMemoryTokenStore(valid()), transport: transport, plugins: isUnwrapped ? [Unwrapping()] : [])
        #expect(try await provider.request(API(method: .post)).statusCode == 401)
        #expect(server.refreshes.count == 0)
        #expect(transport.requests.values.map(\.method) == ["POST", "GET"])
    }

    @Test func refusalBehindRedirectsToAnotherOriginAndBackNeitherRefreshesNorRepeats() async throws {
        let server = AuthorizationServer()
        let transport = StepwiseTransport { request, exchange in
            guard request.fields["Authorization"] != nil || request.url.contains("elsewhere") else {
                return exchange.answer(401)
            }
            let next = request.url.contains("elsewhere") ? API().baseURL.absoluteString : "https://elsewhere.example/"
            exchange.head(303, ["Location": next])
            exchange.end()
        }
        let provider = provider(server, InMemoryTokenStore(valid()), transport: transport)
        let response = try await provider.request(API())
        #expect(response.statusCode == 401)
        #expect(server.refreshes.count == 0)
        #expect(transport.requests.count == 3)
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
}
