public import MoyaSession

// `middleware: [.waitForConnectivity(), .retry(attempts: 3)]`: each is the initializer of its type.

extension Middleware where Self == Plugins {
    /// The place of the provider's plugins among its middleware.
    public static var plugins: Plugins { Plugins() }
}

extension Middleware where Self == WaitForConnectivity {
    /// Makes calls wait until there is a network.
    ///
    /// - Parameters:
    ///   - online: Yields `true` when there is a network and `false` when there is none.
    ///   - limit: The longest wait, after which a call fails; `nil` for no limit.
    public static func waitForConnectivity<Online: AsyncSequence & Sendable>(
        _ online: Online = NetworkReachability.shared.isOnline, atMost limit: Duration? = .seconds(60)
    ) -> WaitForConnectivity where Online.Element == Bool {
        WaitForConnectivity(online: online, waitingAtMost: limit)
    }
}

extension Middleware where Self == SessionRefresh {
    /// Renews an expired session once for all calls that wait for it, by a closure.
    ///
    /// - Parameters:
    ///   - tokens: The store of the tokens.
    ///   - location: The place of the access token in a request.
    ///   - refreshing: Returns new tokens for a refresh token; runs in a task of its own, one at a time.
    ///   - onLogOut: Runs once when the session cannot be renewed.
    public static func tokenRefresh(
        tokens: any TokenStore,
        location: TokenLocation = .bearer,
        refreshing: @escaping @Sendable (_ refreshToken: String) async throws -> OAuthTokens,
        onLogOut: @escaping @Sendable () async -> Void = {}
    ) -> SessionRefresh {
        SessionRefresh(tokens: tokens, location: location, refreshing: refreshing, onLogOut: onLogOut)
    }
}

extension Middleware where Self == Retry {
    /// Calls again after failures that may pass, where that is safe.
    ///
    /// - Parameters:
    ///   - attempts: The most attempts of a call, the first included; below 1 it is 1.
    ///   - backoff: The wait between two attempts.
    ///   - budget: The share of retries that all calls have together.
    ///   - statusCodes: The status codes after which a call is made again.
    ///   - longestRetryAfter: The longest wait that a server may ask for; a call that is asked for more ends.
    public static func retry(
        attempts: Int = 3,
        backoff: Backoff = .exponential(base: .milliseconds(200), jitter: .full),
        budget: RetryBudget = .standard,
        statusCodes: Set<Int> = Retry.defaultStatusCodes,
        longestRetryAfter: Duration = .seconds(60)
    ) -> Retry {
        Retry(
            attempts: attempts, backoff: backoff, budget: budget, statusCodes: statusCodes,
            longestRetryAfter: longestRetryAfter)
    }
}
