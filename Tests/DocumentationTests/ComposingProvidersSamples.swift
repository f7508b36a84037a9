import Foundation
import Moya
// snippet: online
import MoyaSession
// end
import MoyaTesting
import Testing

// The samples of the article ComposingProviders. `ComposingRecipeTests` of MoyaTests runs them against stubs.

private func threeMiddleware(tokens: any OAuthTokenStore, tokenURL: URL, router: Router) async throws {
    // snippet: three middleware
    let provider = MoyaProvider<Shop>(middleware: [
        .waitForConnectivity(atMost: .seconds(30)),
        .tokenRefresh(tokens: tokens, tokenURL: tokenURL, clientID: "shop") { await router.showLogin() },
        .retry(attempts: 3, backoff: .exponential(base: .milliseconds(200), jitter: .full), budget: .standard),
    ])
    let items = try await provider.request(.items, as: [Item].self, deadline: .seconds(5))
    // end
    print(items)
}

private func online() async throws {
    // snippet: online
    let provider = OnlineProvider<Shop>(online: NetworkReachability.shared.isOnline)
    let items = try await provider.request(.items, as: [Item].self)
    // end
    print(items)
}

private func refresh(tokens: any OAuthTokenStore, auth: MoyaProvider<Auth>, router: Router) {
    // snippet: refresh
    let refresh = SessionRefresh(tokens: tokens) { refreshToken in
        try await auth.request(.refresh(refreshToken), as: OAuthTokens.self)
    } onLogOut: {
        await router.showLogin()
    }
    let provider = MoyaProvider<Shop>(middleware: [refresh])
    // end
    print(provider)
}

private func users(tokenURL: URL, login: OAuthTokens) {
    // snippet: user
    func provider(for login: OAuthTokens) -> MoyaProvider<Shop> {
        let tokens = InMemoryTokenStore(login)
        return MoyaProvider(middleware: [.tokenRefresh(tokens: tokens, tokenURL: tokenURL, clientID: "shop")])
    }
    // end
    print(provider(for: login))
}

// snippet: middleware
struct Timing: MoyaMiddleware {
    func intercept(_ call: MiddlewareCall, next: NextMiddleware) async throws(MoyaError) -> Response {
        let start = ContinuousClock.now
        defer { print(call, ContinuousClock.now - start) }
        return try await next(call)
    }
}
// end

@Suite struct ComposingProvidersSamples {
    @Test func waitsAreTestedInVirtualTime() async throws {
        let neverOnline = AsyncStream<Bool> { _ in }
        // snippet: virtual time
        let clock = TestClock()
        let provider = MoyaProvider<Shop>(
            stubClosure: MoyaProvider.immediatelyStub,
            middleware: [.waitForConnectivity(neverOnline, atMost: .seconds(30))], clock: clock)
        let response = _Concurrency.Task { try await provider.request(.items) }
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(30))
        await #expect(throws: MoyaError.self) { try await response.value }
        // end
    }
}
