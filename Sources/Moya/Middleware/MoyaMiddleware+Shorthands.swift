public import MoyaSession

// `middleware: [.waitForConnectivity(), .retry(attempts: 3)]`: each calls the initializer of its type.

extension MoyaMiddleware where Self == PluginsMiddleware {
    /// The position of the provider's plugins among its middleware.
    public static var plugins: PluginsMiddleware { PluginsMiddleware() }
}

extension MoyaMiddleware where Self == WaitForConnectivity {
    /// Makes calls wait until there is a network.
    ///
    /// - Parameters:
    ///   - online: Yields `true` while there is a network and `false` while there is none.
    ///   - limit: The maximum wait, after which a call fails; `nil` for no limit.
    public static func waitForConnectivity<Online: AsyncSequence & Sendable>(
        _ online: Online = NetworkReachability.shared.isOnline, atMost limit: Duration? = .seconds(60)
    ) -> WaitForConnectivity where Online.Element == Bool {
        WaitForConnectivity(online: online, waitingAtMost: limit)
    }
}

extension MoyaMiddleware where Self == SessionRefresh {
    /// Refreshes an expired session with a closure, once for all waiting calls.
    ///
    /// - Parameters:
    ///   - tokens: The store of the tokens.
    ///   - location: The location of the access token in a request.
    ///   - refreshing: Returns new tokens for a refresh token; runs in a separate task, one at a time.
    ///   - onLogOut: Runs once after the refresh token was refused and the tokens were removed.
    public static func tokenRefresh(
        tokens: any OAuthTokenStore,
        location: TokenLocation = .bearer,
        refreshing: @escaping @Sendable (_ refreshToken: String) async throws -> OAuthTokens,
        onLogOut: @escaping @Sendable () async -> Void = {}
    ) -> SessionRefresh {
        SessionRefresh(tokens: tokens, location: location, refreshing: refreshing, onLogOut: onLogOut)
    }
}

extension MoyaMiddleware where Self == RetryMiddleware {
    /// Retries calls after transient failures, if that is safe.
    ///
    /// - Parameters:
    ///   - attempts: The maximum number of attempts of a call, including the first; values below 1 count as 1.
    ///   - backoff: The wait between two attempts.
    ///   - budget: The limit of retries over all calls.
    ///   - statusCodes: The status codes that cause a retry.
    ///   - longestRetryAfter: The longest accepted `Retry-After`; a call with a longer one ends.
    public static func retry(
        attempts: Int = 3,
        backoff: RetryBackoff = .exponential(base: .milliseconds(200), jitter: .full),
        budget: RetryBudget = .standard,
        statusCodes: Set<Int> = RetryMiddleware.defaultStatusCodes,
        longestRetryAfter: Duration = .seconds(60)
    ) -> RetryMiddleware {
        RetryMiddleware(
            attempts: attempts, backoff: backoff, budget: budget, statusCodes: statusCodes,
            longestRetryAfter: longestRetryAfter)
    }
}
