/// What a ``TokenKeeper`` knows between two calls: who waits for a refresh, and how the last one ended.
struct RefreshState {
    /// What a call that needs new tokens is to do.
    enum Joining {
        case wait
        case begin
        case end(TokenKeeper.Outcome?)
    }

    /// What a store's tokens are worth.
    enum Known {
        case none
        case stored(Tokens)
        /// Newer ones that are to be stored first.
        case unsaved(Tokens)

        var tokens: Tokens? { if case .stored(let tokens) = self { tokens } else { nil } }
    }

    /// How often the tokens were refused and dropped.
    private(set) var logOuts = 0
    /// Tokens that were refused, which a store may have failed to forget.
    private var dropped: Tokens?
    /// Tokens that could not be stored in place of others.
    var unsaved: (instead: Tokens, tokens: Tokens)?

    private var isRefreshing = false
    private var waiters: [Place: TokenKeeper.Waiter] = [:]
    /// Who left before it was known that they wait.
    private var departed: Set<Place> = []
    /// The last refresh that leaves nothing to be tried again: for a call that read the store before it ended.
    private var last: (stale: Tokens, outcome: TokenKeeper.Outcome)?

    func tokens(stored: Tokens?) -> Known {
        guard let stored, !isDropped(stored) else { return .none }
        // Logged in again since, those are not to be written over.
        if let unsaved, stored == unsaved.instead { return .unsaved(unsaved.tokens) }
        return .stored(stored)
    }

    func checkRefusal(since count: Int) throws(MoyaError) {
        if logOuts != count, case .failure(let error)? = last?.outcome { throw error }
    }

    func checkRefusal(of used: Tokens) throws(MoyaError) {
        if dropped?.accessToken == used.accessToken, case .failure(let error)? = last?.outcome { throw error }
    }

    mutating func join(_ place: Place, _ waiter: TokenKeeper.Waiter, stale: Tokens) -> Joining {
        if departed.remove(place) != nil { return .end(nil) }
        if !isRefreshing, let last, last.stale == stale { return .end(last.outcome) }
        waiters[place] = waiter
        guard !isRefreshing else { return .wait }
        isRefreshing = true
        return .begin
    }

    mutating func leave(_ place: Place) -> TokenKeeper.Waiter? {
        if let waiter = waiters.removeValue(forKey: place) { return waiter }
        departed.insert(place)
        return nil
    }

    mutating func forget(_ place: Place) { departed.remove(place) }

    /// Learns that a server does not take tokens any more.
    mutating func refuse(_ stale: Tokens, _ outcome: TokenKeeper.Outcome) {
        dropped = stale
        unsaved = nil
        logOuts += 1
        last = (stale, outcome)
    }

    /// Ends the refresh; gives those who waited for it, in the order of their calls.
    mutating func finish(_ stale: Tokens, _ outcome: TokenKeeper.Outcome) -> [TokenKeeper.Waiter] {
        isRefreshing = false
        // A refresh that failed for want of a network is tried again by the next call.
        if case .success = outcome { last = (stale, outcome) }
        defer { waiters = [:] }
        return waiters.sorted { $0.key < $1.key }.map(\.value)
    }

    // The expiry does not count: it may have been rounded where it was stored.
    private func isDropped(_ tokens: Tokens) -> Bool {
        dropped?.accessToken == tokens.accessToken && dropped?.refreshToken == tokens.refreshToken
    }
}
