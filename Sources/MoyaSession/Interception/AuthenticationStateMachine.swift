import Foundation

/// The state machine of credential refreshes and their waiters, without side effects.
///
///     idle --a credential is due, or was refused--> refreshing --refreshed--> idle
///      ^                                              |
///      +-------------a later request----- failed <----+ refused
///
///     credential set by the user: idle, whatever was before
///
/// For any order of events: at most one refresh runs; every waiter is answered exactly once, with a credential or an
/// error; a refresh that started with an outdated credential changes nothing; and a failed refresh leaves no waiter
/// behind. Waiters are in the order of their arrival, and answered in it.
struct AuthenticationStateMachine<Waiter: Hashable & Comparable & Sendable, Credential: Sendable>: Sendable {
    /// The answer to a waiter.
    enum Answer: Sendable {
        /// Continue with this credential.
        case proceed(Credential, version: Int)
        /// The credential has changed meanwhile: check it again.
        case reconsider
        /// There is no usable credential.
        case fail(any Error)
    }

    /// A refresh that the driver has to start.
    struct Refresh: Sendable {
        /// The number of the refresh, returned with its result.
        let number: Int
        /// The credential to refresh.
        let credential: Credential
        /// The waiter that caused it.
        let waiter: Waiter
    }

    /// The treatment of a waiter.
    enum Decision: Sendable {
        case answer(Answer)
        /// Wait; start the refresh, if there is one.
        case wait(beginning: Refresh?)
    }

    /// The waiters to resume after an event.
    struct Release: Sendable {
        var answers: [(waiter: Waiter, answer: Answer)] = []
        var refresh: Refresh?
    }

    private enum Phase {
        case idle
        /// A refresh of the current credential has, or had, waiters. `holdsAll` if this credential is known to be
        /// unusable, so that every request has to wait.
        case refreshing(holdsAll: Bool)
        case failed(any Error)
    }

    private(set) var credential: Credential?
    /// The number of changes of the credential.
    private(set) var version = 0
    private var phase = Phase.idle
    private var waiting: Set<Waiter> = []
    /// The running refresh and the version of the credential with which it started.
    private var underWay: (number: Int, version: Int)?
    private var refreshCount = 0
    /// `nil` for no limit.
    private var limit: RefreshLimit?

    init(credential: Credential?, limit: RefreshLimit?) {
        self.credential = credential
        self.limit = limit
    }

    // MARK: Waiting

    /// Handles a request that needs a credential before it is sent.
    ///
    /// - Parameters:
    ///   - seen: The version of the examined credential.
    ///   - requiresRefresh: `true` if that credential is due for a refresh.
    mutating func adapt(
        _ waiter: Waiter, seen: Int, requiresRefresh: Bool, now: @autoclosure () -> TimeInterval
    ) -> Decision {
        guard let credential else { return .answer(.fail(AuthenticationError.missingCredential)) }
        guard seen == version else { return .answer(.reconsider) }
        switch phase {
        case .refreshing(let holdsAll) where holdsAll || requiresRefresh:
            phase = .refreshing(holdsAll: true)
            waiting.insert(waiter)
            return .wait(beginning: nil)
        case .idle where requiresRefresh, .failed where requiresRefresh:
            return startRefresh(for: waiter, holdsAll: true, now: now())
        case .idle, .failed:
            // A later caller may try a refresh again after a failure.
            phase = .idle
            return .answer(.proceed(credential, version: version))
        case .refreshing:
            return .answer(.proceed(credential, version: version))
        }
    }

    /// Handles a request that was refused for its credential.
    ///
    /// - Parameter sent: The version of the credential in the request.
    mutating func retry(_ waiter: Waiter, sent: Int, now: @autoclosure () -> TimeInterval) -> Decision {
        guard let credential else { return .answer(.fail(AuthenticationError.missingCredential)) }
        guard sent == version else { return .answer(.proceed(credential, version: version)) }
        switch phase {
        case .idle: return startRefresh(for: waiter, holdsAll: false, now: now())
        case .refreshing:
            waiting.insert(waiter)
            return .wait(beginning: nil)
        case .failed(let error): return .answer(.fail(error))
        }
    }

    /// Removes a waiter; the refresh continues for the others, and for its credential.
    ///
    /// - Returns: `true` if the waiter was not answered yet.
    mutating func remove(_ waiter: Waiter) -> Bool { waiting.remove(waiter) != nil }

    // MARK: Credentials

    /// Records a new credential, or none, set by the user.
    mutating func set(_ newCredential: Credential?) -> Release {
        credential = newCredential
        version += 1
        phase = .idle
        return release(with: newCredential == nil ? .fail(AuthenticationError.missingCredential) : .reconsider)
    }

    /// Records the end of a refresh.
    mutating func refreshed(
        _ number: Int, _ result: Result<Credential, any Error>, now: @autoclosure () -> TimeInterval
    ) -> Release {
        guard let refresh = underWay, refresh.number == number else { return Release() }
        underWay = nil
        guard refresh.version == version else { return beginForThoseWaiting(now: now()) }
        switch result {
        case .success(let newCredential):
            credential = newCredential
            version += 1
            phase = .idle
            return release(with: .proceed(newCredential, version: version))
        case .failure(let error):
            return fail(with: error)
        }
    }

    // MARK: Refreshing

    private mutating func startRefresh(for waiter: Waiter, holdsAll: Bool, now: TimeInterval) -> Decision {
        waiting.insert(waiter)
        phase = .refreshing(holdsAll: holdsAll)
        // A refresh of an outdated credential is still running: the new one follows it.
        guard underWay == nil else { return .wait(beginning: nil) }
        let release = beginForThoseWaiting(now: now)
        return release.answers.first.map { .answer($0.answer) } ?? .wait(beginning: release.refresh)
    }

    private mutating func beginForThoseWaiting(now: TimeInterval) -> Release {
        guard case .refreshing = phase else { return Release() }
        guard let credential, let waiter = waiting.min() else {
            phase = .idle
            return Release()
        }
        guard limit?.allowsStart(at: now) != false else { return fail(with: AuthenticationError.excessiveRefresh) }
        refreshCount += 1
        underWay = (refreshCount, version)
        return Release(refresh: Refresh(number: refreshCount, credential: credential, waiter: waiter))
    }

    private mutating func fail(with error: any Error) -> Release {
        phase = .failed(error)
        return release(with: .fail(error))
    }

    private mutating func release(with answer: Answer) -> Release {
        defer { waiting = [] }
        return Release(answers: waiting.sorted().map { ($0, answer) })
    }
}
