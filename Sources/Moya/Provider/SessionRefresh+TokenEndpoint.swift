public import Foundation

extension SessionRefresh {
    /// Makes a middleware for a public OAuth 2 client (RFC 6749 section 6).
    ///
    /// - Parameters:
    ///   - tokens: The token store. The app stores the tokens of a login in it.
    ///   - tokenURL: The server's token endpoint.
    ///   - clientID: The client's identifier.
    ///   - scope: The requested scope; `nil` for the scope of the first grant.
    ///   - provider: Performs the refresh, in its own session: pass one with your session for its pins, authorities, client
    ///     certificate and proxy.
    ///   - location: The place of the access token in a request.
    ///   - clockSkew: The time before its expiry at which a token is no longer used; at most a quarter of its lifetime.
    ///   - limit: The time for which a call waits for a refresh before it fails. The refresh continues, and is cancelled
    ///     after five times as long. If it is not positive, calls that need a refresh fail.
    ///   - onLogOut: Runs once after the refresh token was refused and the tokens were removed.
    ///   - now: Returns the current time, which is compared with expiries.
    ///   - applies: Returns `true` if the calls of a target use a token.
    public init(
        tokens: any OAuthTokenStore,
        tokenURL: URL,
        clientID: String,
        scope: String? = nil,
        provider: MoyaProvider<RefreshGrant> = MoyaProvider<RefreshGrant>(),
        location: TokenLocation = .bearer,
        clockSkew: Duration = .seconds(30),
        refreshingAtMost limit: Duration = .seconds(60),
        onLogOut: @escaping @Sendable () async -> Void = {},
        now: @escaping @Sendable () -> Date = { Date() },
        appliesTo applies: @escaping @Sendable (any TargetType) -> Bool = { _ in true }
    ) {
        self.init(
            tokens: tokens, location: location, clockSkew: clockSkew, refreshingAtMost: limit, now: now,
            appliesTo: applies,
            refreshing: { refreshToken in
                let grant = RefreshGrant(
                    tokenURL: tokenURL, clientID: clientID, refreshToken: refreshToken, scope: scope)
                return try await provider.request(grant, as: OAuthTokens.self)
            }, onLogOut: onLogOut)
    }
}

extension MoyaMiddleware where Self == SessionRefresh {
    /// Refreshes an expired session at a token endpoint, once for all waiting calls (RFC 6749 section 6).
    ///
    /// - Parameters:
    ///   - tokens: The token store.
    ///   - tokenURL: The token endpoint.
    ///   - clientID: The identifier of the client.
    ///   - scope: The requested scope; `nil` for the scope of the first grant.
    ///   - provider: Performs the refresh, in its own session: pass one with your session for its pins, authorities, client
    ///     certificate and proxy.
    ///   - location: The place of the access token in a request.
    ///   - onLogOut: Runs once after the refresh token was refused and the tokens were removed.
    public static func tokenRefresh(
        tokens: any OAuthTokenStore,
        tokenURL: URL,
        clientID: String,
        scope: String? = nil,
        provider: MoyaProvider<RefreshGrant> = MoyaProvider<RefreshGrant>(),
        location: TokenLocation = .bearer,
        onLogOut: @escaping @Sendable () async -> Void = {}
    ) -> SessionRefresh {
        SessionRefresh(
            tokens: tokens, tokenURL: tokenURL, clientID: clientID, scope: scope, provider: provider,
            location: location, onLogOut: onLogOut)
    }
}
