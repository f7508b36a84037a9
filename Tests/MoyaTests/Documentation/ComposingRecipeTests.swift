import Foundation
import Moya
import MoyaSession
import MoyaTesting
import Testing

/// The samples of the article "Composing providers", word for word but for the servers, which answer from the samples.
@Suite struct ComposingRecipeTests {
    enum Shop: TargetType {
        case items
        case refresh(String)

        var baseURL: URL { URL(string: "https://shop.example.com")! }
        var path: String {
            switch self {
            case .items: "/items"
            case .refresh: "/session"
            }
        }
        var method: Moya.Method { .get }
        var task: Moya.RequestTask { .requestPlain }
        var headers: [String: String]? { nil }
        var sampleData: Data {
            switch self {
            case .items: Data(#"[{"name": "Kettle"}]"#.utf8)
            case .refresh: Data(#"{"access_token": "new", "refresh_token": "next", "expires_in": 3600}"#.utf8)
            }
        }
    }

    struct Item: Decodable, Sendable { let name: String }

    actor Router {
        private(set) var isAtLogin = false

        func showLogin() { isAtLogin = true }
    }

    private let router = Router()
    private let tokenURL = URL(string: "https://auth.example.com/token")!

    /// A network that is there.
    private var online: AsyncStream<Bool> { AsyncStream { $0.yield(true) } }

    @Test func aProviderTakesThreeMiddleware() async throws {
        let (router, tokens) = (router, InMemoryTokenStore(OAuthTokens(accessToken: "valid")))
        let provider = MoyaProvider<Shop>(
            stubClosure: MoyaProvider.immediatelyStub,
            middleware: [
                WaitForConnectivity(online: online, waitingAtMost: .seconds(30)),
                SessionRefresh(tokens: tokens, tokenURL: tokenURL, clientID: "shop") { await router.showLogin() },
                RetryMiddleware(
                    attempts: 3, backoff: .exponential(base: .milliseconds(200), jitter: .full), budget: .standard),
            ],
            // The deadline of the sample is in real time, which may be too short on a busy machine.
            clock: TestClock())
        let items = try await provider.request(.items, as: [Item].self, deadline: .seconds(5))
        #expect(items.map(\.name) == ["Kettle"])
    }

    @Test func anOnlineProviderIsCalledAsAnyOther() async throws {
        let provider = OnlineProvider<Shop>(stubClosure: MoyaProvider.immediatelyStub, online: online)
        let items = try await provider.request(.items, as: [Item].self)
        #expect(items.map(\.name) == ["Kettle"])
    }

    @Test func reachabilityIsASequenceThatAnOnlineProviderTakes() {
        let provider = OnlineProvider<Shop>(
            stubClosure: MoyaProvider.immediatelyStub, online: NetworkReachability.shared.isOnline)
        #expect(provider.plugins.isEmpty)
    }

    @Test func aSessionRenewsItself() async throws {
        let router = router
        let auth = MoyaProvider<Shop>(stubClosure: MoyaProvider.immediatelyStub)
        let tokens = InMemoryTokenStore(OAuthTokens(refreshToken: "first"))
        let refresh = SessionRefresh(tokens: tokens) { refreshToken in
            try await auth.request(.refresh(refreshToken), as: OAuthTokens.self)
        } onLogOut: {
            await router.showLogin()
        }
        let provider = MoyaProvider<Shop>(stubClosure: MoyaProvider.immediatelyStub, middleware: [refresh])
        let response = try await provider.request(.items)
        #expect(response.request?.value(forHTTPHeaderField: "Authorization") == "Bearer new")
        #expect(await tokens.load()?.refreshToken == "next")
        #expect(await router.isAtLogin == false)
    }

    @Test func aMiddlewareIsOneMethod() async throws {
        struct Timing: MoyaMiddleware {
            let times: Recorder<Duration>

            func intercept(_ call: MiddlewareCall, next: NextMiddleware) async throws(MoyaError) -> Response {
                let start = ContinuousClock.now
                defer { times.append(ContinuousClock.now - start) }
                return try await next(call)
            }
        }
        let timing = Timing(times: Recorder())
        _ = try await MoyaProvider<Shop>(stubClosure: MoyaProvider.immediatelyStub, middleware: [timing]).request(
            .items)
        #expect(timing.times.count == 1)
    }

    @Test func waitsAreTestedInVirtualTime() async throws {
        let neverOnline = AsyncStream<Bool> { _ in }
        let clock = TestClock()
        let provider = MoyaProvider<Shop>(
            stubClosure: MoyaProvider.immediatelyStub,
            middleware: [WaitForConnectivity(online: neverOnline, waitingAtMost: .seconds(30))], clock: clock)
        let response = _Concurrency.Task { try await provider.request(.items) }
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(30))
        await #expect(throws: MoyaError.self) { try await response.value }
    }
}
