/// Keeps the tokens of a session, for ``SessionRefresh`` and for the app that logs in and out.
///
/// ### Do I need one of my own?
/// For a keychain. ``InMemoryTokenStore`` forgets with the process, ``FileTokenStore`` does not.
///
/// ### How do I write one?
/// The three methods may be called at once, from any task: an actor, or a lock. What they throw fails the calls that
/// need tokens, inside a ``SessionRefreshError``.
public protocol TokenStore: Sendable {
    /// The tokens; `nil` when nobody is logged in.
    func load() async throws -> Tokens?

    /// Keeps tokens in place of those that were kept.
    func save(_ tokens: Tokens) async throws

    /// Forgets the tokens.
    func clear() async throws
}

/// Keeps tokens as long as the process lives.
public actor InMemoryTokenStore: TokenStore {
    private var tokens: Tokens?

    /// Makes a store.
    public init(_ tokens: Tokens? = nil) { self.tokens = tokens }

    /// The tokens.
    public func load() -> Tokens? { tokens }

    /// Keeps tokens.
    public func save(_ tokens: Tokens) { self.tokens = tokens }

    /// Forgets the tokens.
    public func clear() { tokens = nil }
}
