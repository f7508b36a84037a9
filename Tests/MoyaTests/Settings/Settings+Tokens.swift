import Foundation
import Moya
import MoyaTesting

extension Setting {
    static let tokens: [Setting] = [
        Setting("OAuthTokens.init#expiry") { (expiry: Date?) in
            await use(OAuthTokens(accessToken: "a", refreshToken: "r", expiry: expiry))
            await use(OAuthTokens(accessToken: "a", expiry: expiry, lifetime: 3600))
        },
        Setting("OAuthTokens.init#lifetime") { (lifetime: TimeInterval?) in
            await use(OAuthTokens(accessToken: "a", refreshToken: "r", lifetime: lifetime))
            await use(OAuthTokens(accessToken: "a", refreshToken: "r", expiry: Date(), lifetime: lifetime))
        },
        Setting("OAuthTokens.expiry") { (expiry: Date?) in
            var tokens = OAuthTokens(accessToken: "a", refreshToken: "r")
            tokens.expiry = expiry
            await use(tokens)
        },
        Setting("OAuthTokens.lifetime") { (lifetime: TimeInterval?) in
            var tokens = OAuthTokens(accessToken: "a", refreshToken: "r", expiry: Date())
            tokens.lifetime = lifetime
            await use(tokens)
        },
        Setting("SessionRefresh.init#clockSkew (2)") { (skew: Duration) in
            await refresh { SessionRefresh(tokens: $0, clockSkew: skew, refreshing: renewed) }
            await refresh {
                SessionRefresh(tokens: $0, tokenURL: url, clientID: "app", provider: stub, clockSkew: skew)
            }
        },
        Setting("SessionRefresh.init#limit (2)") { (limit: Duration) in
            await refresh { SessionRefresh(tokens: $0, refreshingAtMost: limit, refreshing: renewed) }
            await refresh {
                SessionRefresh(tokens: $0, refreshingAtMost: limit) { _ in
                    try await _Concurrency.Task.sleep(for: .seconds(3600))
                    return OAuthTokens(accessToken: "late")
                }
            }
            await refresh {
                SessionRefresh(tokens: $0, tokenURL: url, clientID: "app", provider: stub, refreshingAtMost: limit)
            }
        },
        Setting("SessionRefresh.init#now (2)") { (now: Date) in
            await refresh { SessionRefresh(tokens: $0, now: { now }, refreshing: renewed) }
            await refresh {
                SessionRefresh(tokens: $0, tokenURL: url, clientID: "app", provider: stub, now: { now })
            }
        },
        Setting("SessionRefreshError.tookTooLong") { (limit: Duration) in
            _ = SessionRefreshError.tookTooLong(limit).localizedDescription
        },
    ]

    private static let url = URL(fileURLWithPath: "/token")

    private static var stub: MoyaProvider<RefreshGrant> { MoyaProvider(stubClosure: MoyaProvider.immediatelyStub) }

    @Sendable private static func renewed(_ refreshToken: String) async throws -> OAuthTokens {
        OAuthTokens(accessToken: "b", refreshToken: "s", lifetime: 3600)
    }

    /// Makes calls with tokens, prints them, and stores them.
    private static func use(_ tokens: OAuthTokens) async {
        await call([SessionRefresh(tokens: InMemoryTokenStore(tokens), refreshing: renewed)])
        await call([SessionRefresh(tokens: InMemoryTokenStore(), refreshing: { _ in tokens })], answers: .response(401))
        var text = ""
        dump(tokens, to: &text)
        print(tokens, String(reflecting: tokens), to: &text)
        let encoded = try? JSONEncoder().encode(tokens)
        _ = encoded.flatMap { try? JSONDecoder().decode(OAuthTokens.self, from: $0) }
    }

    private static func refresh(_ layer: (InMemoryTokenStore) -> SessionRefresh) async {
        let stale = OAuthTokens(
            accessToken: "a", refreshToken: "r", expiry: Date(timeIntervalSince1970: 0), lifetime: 60)
        await call([layer(InMemoryTokenStore(stale))])
        await call(
            [layer(InMemoryTokenStore(OAuthTokens(accessToken: "a", refreshToken: "r")))], answers: .response(401))
    }
}
