import Foundation
import MoyaSession
import MoyaTransport

/// Reads tokens from a store and refreshes them, one refresh at a time.
final class TokenRefresher: Sendable {
    typealias Outcome = Result<OAuthTokens, MoyaError>
    typealias Waiter = OneShot<Outcome>

    /// The closures that refresh tokens and report the result.
    struct Rules: Sendable {
        let allowance: Duration
        /// The time for which a call waits; see ``TokenRefresher/longestRefresh``.
        let limit: Duration
        let now: @Sendable () -> Date
        let refresh: @Sendable (_ refreshToken: String) async throws -> OAuthTokens
        let onLogOut: @Sendable () async -> Void
    }

    private let store: any OAuthTokenStore
    private let rules: Rules
    private let state = Lock(RefreshState())

    init(store: any OAuthTokenStore, rules: Rules) {
        self.store = store
        self.rules = rules
    }

    /// `true` if the current task is the running refresh, or was started by it: its calls need no token.
    var isRefreshing: Bool { RefreshScope.current?.isRefresh(of: ObjectIdentifier(self)) ?? false }

    // MARK: For calls

    /// The tokens for a call, refreshed if necessary; `nil` if there are none.
    func tokens(for call: MiddlewareCall) async throws(MoyaError) -> OAuthTokens? {
        // Read first: a call that started before a log-out fails with the calls that were refused.
        let generation = state.withLock { $0.generation }
        guard let tokens = try await load() else {
            try state.withLock { state throws(MoyaError) in try state.checkRefusal(since: generation) }
            return nil
        }
        // Without a network, a stored response is found by the token with which it was requested.
        if call.isOffline || tokens.isValid(at: rules.now(), allowance: rules.allowance.seconds) { return tokens }
        guard tokens.refreshToken != nil else { return tokens.accessToken.isEmpty ? nil : tokens }
        return try await renewed(tokens, for: call, since: generation)
    }

    /// The replacement for tokens that a server refused; `nil` without one.
    func tokens(replacing used: OAuthTokens, for call: MiddlewareCall) async throws(MoyaError) -> OAuthTokens? {
        let generation = state.withLock { $0.generation }
        guard let tokens = try await load() else {
            try state.withLock { state throws(MoyaError) in try state.checkRefusal(of: used) }
            return nil
        }
        // Another call has refreshed them, or the user logged in again.
        if tokens.accessToken != used.accessToken { return tokens.accessToken.isEmpty ? nil : tokens }
        guard tokens.refreshToken != nil else { return nil }
        return try await renewed(tokens, for: call, since: generation)
    }

    // MARK: The store

    private func load() async throws(MoyaError) -> OAuthTokens? {
        let stored: OAuthTokens?
        do {
            stored = try await store.load()
        } catch {
            throw SessionRefreshError.storeUnreadable(error).moyaError
        }
        switch state.withLock({ $0.tokens(stored: stored) }) {
        case .none: return nil
        case .stored(let tokens): return tokens
        case .unsaved(let old, let tokens): return try await save(tokens, insteadOf: old)
        }
    }

    /// Stores the tokens of a refresh; returns those of a log-in that has replaced the old ones meanwhile.
    private func save(_ tokens: OAuthTokens, insteadOf old: OAuthTokens) async throws(MoyaError) -> OAuthTokens? {
        let stored: OAuthTokens?
        do {
            stored = try await inRefresh { try await store.replace(old, with: tokens) }
        } catch {
            throw SessionRefreshError.storeUnwritable(error).moyaError
        }
        state.withLock { $0.forget(tokens) }
        return stored
    }

    // MARK: Refreshing

    /// The time after which a refresh is given up, so that another may start.
    private var longestRefresh: Duration { rules.limit.clamped * 5 }

    private var tookTooLong: MoyaError { SessionRefreshError.tookTooLong(rules.limit).moyaError }

    private func renewed(
        _ stale: OAuthTokens, for call: MiddlewareCall, since generation: Int
    ) async throws(MoyaError) -> OAuthTokens? {
        let (ticket, waiter) = (Ticket(of: call), Waiter())
        // A cancelled call starts no refresh.
        guard !_Concurrency.Task.isCancelled else { throw .cancelled }
        guard rules.limit > .zero else { throw tookTooLong }
        let admission = state.withLock { $0.join(ticket, waiter, stale: stale, since: generation) }
        switch admission {
        case .begins: startRefresh(stale, on: call.clock)
        case .waits, .waitsForOthers: break
        case .readsAgain: return try await tokens(for: call)
        }
        // Ends only the wait: the refresh continues, since its new tokens replace the old ones at the server.
        let isOverdue = Lock(false)
        let timer = Timeline(call.clock).timer(after: rules.limit) { [self] in
            isOverdue.set(true)
            waiter.send(.failure(tookTooLong))
        }
        let outcome = await waiter.value
        timer?.cancel()
        state.withLock { $0.remove(ticket) }
        guard let outcome else { throw .cancelled }
        if case .waitsForOthers = admission {
            if isOverdue.value { throw tookTooLong }
            return try await self.tokens(replacing: stale, for: call)
        }
        let tokens = try outcome.get()
        // Meanwhile the app may have stored a refresh token alone.
        return tokens.accessToken.isEmpty ? try await self.tokens(for: call) : tokens
    }

    /// Refreshes in a separate task, which continues if the call that started it is cancelled: a server that has issued
    /// a new refresh token may refuse the old one.
    private func startRefresh(_ stale: OAuthTokens, on clock: any Clock<Duration>) {
        // Calls of every priority wait for it.
        _Concurrency.Task(priority: max(.userInitiated, _Concurrency.Task.currentPriority)) {
            let outcome = await DeadlineRace.run(
                within: longestRefresh, by: Timeline(clock), orEndWith: { [self] in tookTooLong },
                { [self] in await inRefresh { await self.outcome(of: stale) } })
            for waiter in state.withLock({ $0.finish(stale, outcome) }) { waiter.send(outcome) }
            if case .failure(let error) = outcome, SessionRefreshError.isRefusal(error) { await rules.onLogOut() }
        }
    }

    private func outcome(of stale: OAuthTokens) async -> Outcome {
        let lock = await store.refreshLock()
        defer { withExtendedLifetime(lock) {} }
        if _Concurrency.Task.isCancelled { return .failure(tookTooLong) }
        if lock != nil, let others = await outcomeOfOthers(insteadOf: stale) { return others }
        return await refreshed(stale, isLocked: lock != nil)
    }

    /// The tokens of another process that has refreshed them meanwhile, its log-out, or the store's error; `nil` if the
    /// stale tokens are still stored.
    private func outcomeOfOthers(insteadOf stale: OAuthTokens) async -> Outcome? {
        do {
            guard let stored = try await store.load() else {
                return .failure(SessionRefreshError.loggedOut.moyaError)
            }
            let isRefreshed = !stored.accessToken.isEmpty && stored.accessToken != stale.accessToken
            return isRefreshed || !stored.hasRefreshToken(of: stale) ? .success(stored) : nil
        } catch {
            // A refresh token that another process has used is not sent again.
            return .failure(SessionRefreshError.storeUnreadable(error).moyaError)
        }
    }

    private func refreshed(_ stale: OAuthTokens, isLocked: Bool) async -> Outcome {
        let began = rules.now()
        let tokens: OAuthTokens
        // Once it is cancelled, the refresh was given up, and another may have begun.
        do {
            tokens = try await rules.refresh(stale.refreshToken ?? "")
        } catch {
            let error = Self.moyaError(of: error)
            guard SessionRefreshError.isRefusal(error), !_Concurrency.Task.isCancelled else { return .failure(error) }
            // Another process, which has refreshed them without the lock, is the reason for the refusal.
            if !isLocked, case .success(let tokens)? = await outcomeOfOthers(insteadOf: stale) {
                return .success(tokens)
            }
            let refusal = Outcome.failure(Self.refusal(of: error))
            return await drop(stale, because: refusal).map { .success($0) } ?? refusal
        }
        if _Concurrency.Task.isCancelled { return .failure(tookTooLong) }
        return await keep(tokens.succeeding(stale, requestedAt: began), after: stale)
    }

    /// Runs work as part of a refresh: the calls that it makes need no token.
    private func inRefresh<Result>(_ work: () async throws -> Result) async rethrows -> Result {
        let scope = RefreshScope(owner: ObjectIdentifier(self), within: RefreshScope.current)
        defer { scope.end() }
        return try await RefreshScope.$current.withValue(scope) { try await work() }
    }

    private static func moyaError(of error: any Error) -> MoyaError {
        if let error = error as? SessionRefreshError { return error.moyaError }
        return error as? MoyaError ?? .underlying(error, nil)
    }

    private static func refusal(of error: MoyaError) -> MoyaError {
        if case .underlying(SessionRefreshError.refused, _) = error { return error }
        return SessionRefreshError.refused(error).moyaError
    }

    /// Stores new tokens, unless the tokens that they replace were removed meanwhile.
    private func keep(_ tokens: OAuthTokens, after stale: OAuthTokens) async -> Outcome {
        guard !tokens.accessToken.isEmpty else { return .failure(SessionRefreshError.emptyAccessToken.moyaError) }
        state.withLock { $0.keep(tokens, after: stale) }
        do {
            guard let stored = try await save(tokens, insteadOf: stale) else {
                return .failure(SessionRefreshError.loggedOut.moyaError)
            }
            return .success(stored)
        } catch {
            return .failure(error)
        }
    }

    /// Removes refused tokens; returns those of a log-in that has replaced them meanwhile, and that stay.
    private func drop(_ stale: OAuthTokens, because outcome: Outcome) async -> OAuthTokens? {
        // Recorded first, so that a call that finds an empty store knows the reason.
        state.withLock { $0.refuse(stale, outcome) }
        // A store that cannot remove them does no harm: they are not used again.
        do {
            let left = try await store.replace(stale, with: nil)
            state.withLock { $0.forgetDropped(stale) }
            return left
        } catch {
            return nil
        }
    }
}
