public import Foundation

extension SessionRefresh {
    /// Makes a middleware for a public client of OAuth 2 (RFC 6749 section 6).
    ///
    /// - Parameters:
    ///   - tokens: The store of the tokens. The app stores them there when its user logs in.
    ///   - tokenURL: The server's token endpoint.
    ///   - clientID: The client's identifier.
    ///   - scope: The requested scope; that of the first grant when `nil`.
    ///   - provider: Makes the refresh.
    ///   - location: The place of the access token in a call.
    ///   - clockSkew: The time before its expiry from which on a token is not used any more; at most a quarter of its
    ///     lifetime.
    ///   - limit: The longest time of a refresh; the calls that wait for it then fail. With one that is not positive,
    ///     all do.
    ///   - onLogOut: Called once when the refresh token was refused, after the tokens were dropped.
    ///   - now: The present, which expiries are compared with.
    ///   - applies: `true` if the calls of a target have a token.
    public init(
        tokens: any TokenStore,
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

extension Middleware where Self == SessionRefresh {
    /// Renews an expired session once for all calls that wait for it, at a token endpoint (RFC 6749 section 6).
    ///
    /// - Parameters:
    ///   - tokens: The store of the tokens.
    ///   - tokenURL: The token endpoint.
    ///   - clientID: The identifier of the client.
    ///   - scope: The scope asked for; `nil` for the one that was granted.
    ///   - location: The place of the access token in a request.
    ///   - onLogOut: Runs once when the session cannot be renewed.
    public static func tokenRefresh(
        tokens: any TokenStore,
        tokenURL: URL,
        clientID: String,
        scope: String? = nil,
        location: TokenLocation = .bearer,
        onLogOut: @escaping @Sendable () async -> Void = {}
    ) -> SessionRefresh {
        SessionRefresh(
            tokens: tokens, tokenURL: tokenURL, clientID: clientID, scope: scope, location: location,
            onLogOut: onLogOut)
    }
}
