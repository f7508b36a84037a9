/// Stores the tokens of a session, for one ``SessionRefresh`` and for the app's log-in and log-out.
///
/// ### Do I need one of my own?
/// Implement it for a keychain. ``InMemoryTokenStore`` keeps tokens until the process ends, ``FileTokenStore`` longer.
///
/// ### Implementation
/// The methods may be called concurrently, from any task: use an actor or a lock. An error that they throw fails the
/// calls that need tokens, inside a ``SessionRefreshError``. ``replace(_:with:)`` has a default, which loads and then
/// saves: a log-in or log-out between the two is undone. A custom store can implement it in one step. Calls that
/// ``replace(_:with:)`` makes are part of the refresh, and receive no token. A cancelled call waits for ``load()``, which
/// should end soon after its task was cancelled.
public protocol OAuthTokenStore: Sendable {
    /// The tokens; `nil` if no user is logged in.
    func load() async throws -> OAuthTokens?

    /// Stores tokens, replacing the stored ones.
    func save(_ tokens: OAuthTokens) async throws

    /// Removes the tokens.
    func clear() async throws

    /// Replaces tokens, unless a log-in or a log-out has replaced them meanwhile.
    ///
    /// - Parameters:
    ///   - old: The tokens to replace, recognized by their refresh token.
    ///   - new: The new tokens; `nil` removes the old ones.
    /// - Returns: The tokens that are stored now: `new`, or those of the log-in.
    func replace(_ old: OAuthTokens, with new: OAuthTokens?) async throws -> OAuthTokens?

    /// Waits until no other refresh is under way, and excludes others until the returned value is released.
    ///
    /// A store that several processes share implements it, such as one in the keychain of an app and its extension. The
    /// tokens are loaded again then, and refreshed only if they are still the same. The task is cancelled if it takes too
    /// long.
    ///
    /// - Returns: `nil`, as the default does, if the tokens are those of this process alone.
    func refreshLock() async -> (any Sendable)?
}

extension OAuthTokenStore {
    /// No lock: the tokens are those of this process alone.
    public func refreshLock() async -> (any Sendable)? { nil }

    /// Loads the tokens, and saves or removes them in a second step.
    public func replace(_ old: OAuthTokens, with new: OAuthTokens?) async throws -> OAuthTokens? {
        let stored = try await load()
        guard let stored, stored.hasRefreshToken(of: old) else { return stored }
        if let new { try await save(new) } else { try await clear() }
        return new
    }
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

    /// Replaces tokens in one step.
    public func replace(_ old: OAuthTokens, with new: OAuthTokens?) async -> OAuthTokens? {
        if let tokens, tokens.hasRefreshToken(of: old) { self.tokens = new }
        return tokens
    }
}
