/// Stores the tokens of a session, for one ``SessionRefresh`` and for the app's log-in and log-out.
///
/// ### Do I need one of my own?
/// Implement it for a keychain. ``InMemoryTokenStore`` keeps tokens until the process ends, ``FileTokenStore`` longer.
///
/// ### Implementation
/// The three methods may be called concurrently, from any task: use an actor or a lock. An error that they throw fails
/// the calls that need tokens, inside a ``SessionRefreshError``.
public protocol OAuthTokenStore: Sendable {
    /// The tokens; `nil` if no user is logged in.
    func load() async throws -> OAuthTokens?

    /// Stores tokens, replacing the stored ones.
    func save(_ tokens: OAuthTokens) async throws

    /// Removes the tokens.
    func clear() async throws
}

/// Stores tokens in memory.
public actor InMemoryTokenStore: OAuthTokenStore {
    private var tokens: OAuthTokens?

    /// Makes a store.
    public init(_ tokens: OAuthTokens? = nil) { self.tokens = tokens }

    /// The tokens.
    public func load() -> OAuthTokens? { tokens }

    /// Stores tokens.
    public func save(_ tokens: OAuthTokens) { self.tokens = tokens }

    /// Removes the tokens.
    public func clear() { tokens = nil }
}
