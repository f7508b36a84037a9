/// Keeps the tokens of a session, for ``SessionRefresh`` and for the app that logs in and out.
///
/// ### Do I need one of my own?
/// For a keychain. ``InMemoryTokenStore`` forgets with the process, ``FileTokenStore`` does not.
///
/// ### Implementation
/// The three methods may be called at once, from any task: an actor, or a lock. An error that they throw fails the
/// calls that need tokens, inside a ``SessionRefreshError``.
public protocol TokenStore: Sendable {
    /// The tokens; `nil` when no user is logged in.
    func load() async throws -> OAuthTokens?

    /// Keeps tokens in place of those that were kept.
    func save(_ tokens: OAuthTokens) async throws

    /// Forgets the tokens.
    func clear() async throws
}

/// Keeps tokens as long as the process lives.
public actor InMemoryTokenStore: TokenStore {
    private var tokens: OAuthTokens?

    /// Makes a store.
    public init(_ tokens: OAuthTokens? = nil) { self.tokens = tokens }

    /// The tokens.
    public func load() -> OAuthTokens? { tokens }

    /// Keeps tokens.
    public func save(_ tokens: OAuthTokens) { self.tokens = tokens }

    /// Forgets the tokens.
    public func clear() { tokens = nil }
}
