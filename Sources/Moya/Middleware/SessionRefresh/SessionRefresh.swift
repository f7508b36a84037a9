public import Foundation
import MoyaSession
import MoyaTransport

/// A middleware that adds a token to calls, and refreshes the token when it has expired.
///
///     let refresh = SessionRefresh(tokens: store) { refreshToken in
///         try await auth.request(.refresh(refreshToken), as: OAuthTokens.self)
///     } onLogOut: {
///         await router.showLogin()
///     }
///
/// For an OAuth 2 server, pass its token endpoint instead of a closure:
///
///     SessionRefresh(tokens: store, tokenURL: tokenURL, clientID: "app") { await router.showLogin() }
///
/// ### The course of a call
/// - A valid token is added to the request.
/// - A missing or expired token is refreshed first, if there is a refresh token. Otherwise the call is made with the
///   existing token, if any.
/// - Further calls wait, since only one refresh runs at a time. It continues if the call that started it is cancelled.
///   Pass one value to all providers that share the tokens: two values would each send the refresh token, and a server
///   that replaces it refuses the second, unless their store has a lock, as ``FileTokenStore`` has.
/// - A call that ends with a 401 refreshes the token and is made once more, unless its body is a stream. A second 401
///   ends the call, and so does a 401 behind a redirect to another origin, which did not get the token, or behind one of
///   a method that is not idempotent. A call takes part in at most two refreshes, whatever the tokens' lifetime, each time
///   that a middleware outside, such as one that retries, passes it on.
///
/// ### A refresh that fails
/// - Refused, with `invalid_grant` or a 401 that names no error: the tokens are removed, every waiting call fails with
///   ``SessionRefreshError/refused(_:)``, and `onLogOut` is called once. Later calls are made without a token.
/// - Too long: a call that has waited for `refreshingAtMost` fails with ``SessionRefreshError/tookTooLong(_:)``. The
///   refresh continues, since the server may have replaced the refresh token already, and later calls wait for it. After
///   five times as long it is cancelled, its result is ignored, and the next call tries again.
/// - Otherwise, every waiting call fails with the error. The next call tries again.
///
/// ### Calls without a token
/// It ignores targets that are ``AccessTokenAuthorizable`` with no `authorizationType`, targets for which `appliesTo`
/// returns `false`, and calls that the refresh itself makes, through any provider.
public struct SessionRefresh: MoyaMiddleware {
    private let refresher: TokenRefresher
    private let location: TokenLocation
    private let applies: @Sendable (any TargetType) -> Bool

    /// Makes a middleware.
    ///
    /// - Parameters:
    ///   - tokens: The store of the tokens. The app stores tokens there when its user logs in.
    ///   - location: The location of the access token in a request.
    ///   - clockSkew: The time before its expiry during which a token is no longer used; at most a quarter of its
    ///     lifetime.
    ///   - limit: The time for which a call waits for a refresh before it fails. The refresh continues, and is cancelled
    ///     after five times as long. If it is not positive, calls that need a refresh fail.
    ///   - now: Returns the current time, for comparison with expiries.
    ///   - applies: Returns `true` if the calls of a target need a token.
    ///   - refreshing: Requests new tokens with the refresh token. A redirect of its requests to another origin is not
    ///     followed: they end with it. This includes requests in a `Task` that it creates, not in a detached task.
    ///   - onLogOut: Called once if the refresh token was refused, after the tokens were removed; it may make ordinary
    ///     calls.
    public init(
        tokens: any OAuthTokenStore,
        location: TokenLocation = .bearer,
        clockSkew: Duration = .seconds(30),
        refreshingAtMost limit: Duration = .seconds(60),
        now: @escaping @Sendable () -> Date = { Date() },
        appliesTo applies: @escaping @Sendable (any TargetType) -> Bool = { _ in true },
        refreshing: @escaping @Sendable (_ refreshToken: String) async throws -> OAuthTokens,
        onLogOut: @escaping @Sendable () async -> Void = {}
    ) {
        refresher = TokenRefresher(
            store: tokens,
            rules: TokenRefresher.Rules(
                allowance: max(clockSkew, .zero), limit: limit, now: now, refresh: refreshing, onLogOut: onLogOut))
        self.location = location
        self.applies = applies
    }

    /// Makes the call with a token, and once more with a new one if the server refuses it.
    public func intercept(_ call: MiddlewareCall, next: NextMiddleware) async throws(MoyaError) -> Response {
        guard hasToken(call) else { return try await next(call) }
        guard let tokens = try await refresher.tokens(for: call) else { return try await next(call) }
        var first = placing(tokens, in: call)
        // Asked of the attempt: a plugin may have made another response of the server's.
        let isFinal = Lock(false)
        first.onEnd = { [outer = call.onEnd] in
            outer?($0)
            isFinal.set($0)
        }
        let result: Result<Response, MoyaError>
        do throws(MoyaError) {
            result = .success(try await next(first))
        } catch {
            result = .failure(error)
        }
        guard let response = result.response, response.statusCode == 401, !isFinal.value,
            call.isReplayable, !call.isOffline,
            let others = try await refresher.tokens(replacing: tokens, for: call)
        else { return try result.get() }
        // The response is not read, and it may hold the connection that the next attempt waits for.
        response.body?.cancel()
        return try await next(placing(others, in: call.again()))
    }

    private func hasToken(_ call: MiddlewareCall) -> Bool {
        if refresher.isRefreshing { return false }
        if let target = call.target as? any AccessTokenAuthorizable, target.authorizationType == nil { return false }
        return applies(call.target) && !location.isTaken(call)
    }

    private func placing(_ tokens: OAuthTokens, in call: MiddlewareCall) -> MiddlewareCall {
        guard !tokens.accessToken.isEmpty else { return call }
        var call = call
        location.place(tokens.accessToken, &call)
        return call
    }
}
