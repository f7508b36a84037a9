public import Foundation
import MoyaSession

/// A middleware that makes calls with a token, and refreshes the token when it has expired.
///
///     let refresh = SessionRefresh(tokens: store) { refreshToken in
///         try await auth.request(.refresh(refreshToken), as: OAuthTokens.self)
///     } onLogOut: {
///         await router.showLogin()
///     }
///
/// A server of OAuth 2 needs no closure, but its token endpoint:
///
///     SessionRefresh(tokens: store, tokenURL: tokenURL, clientID: "app") { await router.showLogin() }
///
/// ### The course of a call
/// - A valid token is put into its request.
/// - A missing or expired one is refreshed first, if there is a refresh token. Without one the call is made with what
///   there is.
/// - Calls that come meanwhile wait: there is one refresh at a time. It goes on when the call that began it is cancelled.
/// - A call that ends with a 401 refreshes the token and is made once more, unless its body is a stream. A second 401
///   is its end. A call takes part in two refreshes at most, whatever the tokens' lifetime.
///
/// ### A refresh that fails
/// - Refused, with a 401 or `invalid_grant`: the tokens are dropped, every call that waits fails with
///   ``SessionRefreshError/refused(_:)``, and `onLogOut` is called once. Later calls are made without a token.
/// - Failed otherwise: every call that waits fails with that error. The next call tries again.
///
/// ### Calls without a token
/// Those of targets that are ``AccessTokenAuthorizable`` with no `authorizationType`, those that `appliesTo` says so of,
/// and those that the refresh itself makes, through whichever provider.
public struct SessionRefresh: Middleware {
    private let keeper: TokenRefresher
    private let location: TokenLocation
    private let applies: @Sendable (any TargetType) -> Bool

    /// Makes a middleware.
    ///
    /// - Parameters:
    ///   - tokens: The store of the tokens. The app stores them there when its user logs in.
    ///   - location: The place of the access token in a call.
    ///   - clockSkew: The time before its expiry from which on a token is not used any more; at most a quarter of its
    ///     lifetime.
    ///   - limit: The longest time of a refresh; the calls that wait for it then fail. With one that is not positive,
    ///     all do.
    ///   - now: The present, which expiries are compared with.
    ///   - applies: `true` if the calls of a target have a token.
    ///   - refreshing: Requests new tokens with the refresh token. Have its request follow no redirect.
    ///   - onLogOut: Called once when the refresh token was refused, after the tokens were dropped; calls that it makes
    ///     are like any others.
    public init(
        tokens: any TokenStore,
        location: TokenLocation = .bearer,
        clockSkew: Duration = .seconds(30),
        refreshingAtMost limit: Duration = .seconds(60),
        now: @escaping @Sendable () -> Date = { Date() },
        appliesTo applies: @escaping @Sendable (any TargetType) -> Bool = { _ in true },
        refreshing: @escaping @Sendable (_ refreshToken: String) async throws -> OAuthTokens,
        onLogOut: @escaping @Sendable () async -> Void = {}
    ) {
        keeper = TokenRefresher(
            store: tokens,
            rules: TokenRefresher.Rules(
                allowance: max(clockSkew, .zero), limit: limit, now: now, refresh: refreshing, onLogOut: onLogOut))
        self.location = location
        self.applies = applies
    }

    /// Makes the call with a token, and once more with a new one when the server does not take it.
    public func intercept(_ call: Call, next: Next) async throws(MoyaError) -> Response {
        guard hasToken(call) else { return try await next(call) }
        guard let tokens = try await keeper.tokens(for: call) else { return try await next(call) }
        let result: Result<Response, MoyaError>
        do throws(MoyaError) {
            result = .success(try await next(placing(tokens, in: call)))
        } catch {
            result = .failure(error)
        }
        guard result.statusCode == 401, call.isReplayable,
            let others = try await keeper.tokens(replacing: tokens, for: call)
        else { return try result.get() }
        return try await next(placing(others, in: call.again()))
    }

    private func hasToken(_ call: Call) -> Bool {
        if keeper.isRefreshing { return false }
        if let target = call.target as? any AccessTokenAuthorizable, target.authorizationType == nil { return false }
        return applies(call.target) && !location.isTaken(call)
    }

    private func placing(_ tokens: OAuthTokens, in call: Call) -> Call {
        guard !tokens.accessToken.isEmpty else { return call }
        var call = call
        location.place(tokens.accessToken, &call)
        return call
    }
}

extension Result where Success == Response, Failure == MoyaError {
    /// The status code, of an error's response too.
    fileprivate var statusCode: Int? {
        switch self {
        case .success(let response): response.statusCode
        case .failure(let error): error.response?.statusCode
        }
    }
}
