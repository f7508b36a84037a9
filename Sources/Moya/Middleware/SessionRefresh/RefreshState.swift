/// The state of a ``TokenRefresher`` between two calls: the waiters, and the result of the last refresh.
struct RefreshState {
    /// The state of a store's tokens.
    enum Known {
        case none
        case stored(OAuthTokens)
        /// Newer tokens that have to be stored first.
        case unsaved(instead: OAuthTokens, tokens: OAuthTokens)
    }

    /// The way in which a call that needs new tokens obtains them.
    enum Admission {
        /// It begins the refresh, and waits.
        case begins
        /// Its waiter receives the outcome of a refresh.
        case waits
        /// Its waiter is told when the refresh of an earlier log-in is over.
        case waitsForOthers
        /// It reads the store again: a refresh has ended, whose tokens are not stored yet.
        case readsAgain
    }

    /// A number that changes whenever a call that has read the store must read it again.
    private(set) var generation = 0
    /// Refused tokens, which a store may have failed to remove.
    private var dropped: OAuthTokens?
    /// Tokens that are not known to be stored, with the tokens that they replace.
    private var unsaved: (instead: OAuthTokens, tokens: OAuthTokens)?

    /// The tokens that are being refreshed.
    private var running: OAuthTokens?
    private var waiters: [Ticket: TokenRefresher.Waiter] = [:]
    /// The last completed refresh, for a call that read the store before it ended.
    private var last: (stale: OAuthTokens, outcome: TokenRefresher.Outcome)? { didSet { generation += 1 } }

    func tokens(stored: OAuthTokens?) -> Known {
        guard let stored, !isDropped(stored) else { return .none }
        // After a new log-in, the stored tokens must not be overwritten.
        if let unsaved, unsaved.instead.hasTokens(of: stored) {
            return .unsaved(instead: unsaved.instead, tokens: unsaved.tokens)
        }
        return .stored(stored)
    }

    /// Records new tokens, which the server has issued and which must not be lost with the store's error.
    mutating func keep(_ tokens: OAuthTokens, after stale: OAuthTokens) {
        unsaved = (stale, tokens)
        // A call that has read the old tokens reads again.
        last = nil
    }

    /// Forgets tokens that are stored, or that a log-in or log-out has made useless; not those of a later refresh.
    mutating func forget(_ tokens: OAuthTokens) { if unsaved?.tokens == tokens { unsaved = nil } }

    func checkRefusal(since generation: Int) throws(MoyaError) {
        if generation != self.generation, case .failure(let error)? = last?.outcome { throw error }
    }

    func checkRefusal(of used: OAuthTokens) throws(MoyaError) {
        if let last, last.stale.accessToken == used.accessToken, case .failure(let error) = last.outcome { throw error }
    }

    /// Registers a waiting call, unless a refresh has ended since it read the store.
    ///
    /// - Parameter generation: The generation before the caller read the store.
    mutating func join(
        _ ticket: Ticket, _ waiter: TokenRefresher.Waiter, stale: OAuthTokens, since generation: Int
    ) -> Admission {
        guard let running else {
            if generation != self.generation {
                // Of earlier refreshes nothing is known but that the store has newer tokens.
                guard let last, last.stale.hasTokens(of: stale) else { return .readsAgain }
                waiter.send(last.outcome)
                return .waits
            }
            // A server that issued a new refresh token would refuse the old one.
            if let unsaved, unsaved.instead.hasTokens(of: stale) { return .readsAgain }
            waiters[ticket] = waiter
            running = stale
            return .begins
        }
        waiters[ticket] = waiter
        return running.hasRefreshToken(of: stale) ? .waits : .waitsForOthers
    }

    /// Removes a call that no longer waits.
    mutating func remove(_ ticket: Ticket) { waiters[ticket] = nil }

    /// Records that a server no longer accepts tokens.
    mutating func refuse(_ stale: OAuthTokens, _ outcome: TokenRefresher.Outcome) {
        dropped = stale
        last = (stale, outcome)
    }

    /// Forgets refused tokens that the store has removed: a server may issue them again.
    mutating func forgetDropped(_ stale: OAuthTokens) {
        guard dropped == stale else { return }
        dropped = nil
        // A call that has read them before receives their refusal.
        generation += 1
    }

    /// Ends the refresh; returns its waiters, in the order of their calls.
    mutating func finish(_ stale: OAuthTokens, _ outcome: TokenRefresher.Outcome) -> [TokenRefresher.Waiter] {
        running = nil
        // A refresh that failed without a network is tried again by the next call.
        if case .success = outcome { last = (stale, outcome) }
        defer { waiters = [:] }
        return waiters.sorted { $0.key < $1.key }.map(\.value)
    }

    private func isDropped(_ tokens: OAuthTokens) -> Bool { dropped?.hasTokens(of: tokens) ?? false }
}
