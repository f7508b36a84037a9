import Dispatch
public import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Adds a credential to requests, and refreshes it when it is due or refused.
///
/// Only one refresh runs at a time: all requests wait for it and then continue or fail together. The refusal of an
/// outdated credential starts no refresh. The refresh belongs to no request, so cancelling the request that started it
/// does not affect others, and a request made by the refresh itself does not wait for it: see
/// ``Authenticator/refresh(_:for:completion:)``.
///
/// A refused request fails, and can be retried, only if it is validated: `request.validate()`. Without a credential a
/// request fails with ``AuthenticationError/missingCredential``.
public final class AuthenticationInterceptor<AuthenticatorType: Authenticator>: RequestInterceptor {
    /// The credential of requests.
    public typealias Credential = AuthenticatorType.Credential

    /// The limit of refreshes within an interval, which ``AuthenticationError/excessiveRefresh`` enforces.
    public struct RefreshWindow: Sendable, Hashable {
        /// The interval for which refreshes count, in seconds: unlimited if infinite or NaN, empty if negative.
        public let interval: TimeInterval
        /// The maximum number of refreshes that start within the interval; values below 1 allow none.
        public let maximumAttempts: Int

        /// Makes a window.
        public init(interval: TimeInterval = 30.0, maximumAttempts: Int = 5) {
            self.interval = interval
            self.maximumAttempts = maximumAttempts
        }
    }

    private typealias Machine = AuthenticationStateMachine<UInt64, Credential>

    private struct MutableState {
        var machine: Machine
        /// The waiters of the state machine, by number.
        var callers: [UInt64: Caller] = [:]
        var lastNumber: UInt64 = 0
    }

    /// A request that waits for a credential.
    private struct Caller: Sendable {
        let request: Request?
        let session: Session
        let operation: Operation
        /// The number of refreshes for which it has waited.
        var refreshes = 0
    }

    private enum Operation: Sendable {
        case adapt(URLRequest, @Sendable (Result<URLRequest, any Error>) -> Void)
        case retry(@Sendable (RetryResult) -> Void)
    }

    private let authenticator: AuthenticatorType
    private let appliedFields = AppliedFields()
    private let state: Lock<MutableState>
    /// The maximum number of refreshes for which one request waits before it is sent, and of those after its refusals;
    /// `nil` without a limit.
    private let maximumAttempts: Int?
    private let clock: @Sendable () -> TimeInterval
    private let refreshQueue = DispatchQueue(label: "org.moya.session.authentication")

    /// Makes an interceptor.
    ///
    /// - Parameters:
    ///   - authenticator: The authenticator, which applies and refreshes the credential.
    ///   - credential: The credential of requests; can be set later.
    ///   - refreshWindow: The limit of refreshes within an interval; `nil` for no limit.
    public convenience init(
        authenticator: AuthenticatorType, credential: Credential? = nil, refreshWindow: RefreshWindow? = RefreshWindow()
    ) {
        let origin = ContinuousClock.now
        self.init(authenticator: authenticator, credential: credential, refreshWindow: refreshWindow) {
            origin.duration(to: .now) / .seconds(1)
        }
    }

    /// Makes an interceptor with a custom clock for its refresh window, in seconds.
    package init(
        authenticator: AuthenticatorType, credential: Credential?, refreshWindow: RefreshWindow?,
        clock: @escaping @Sendable () -> TimeInterval
    ) {
        self.authenticator = authenticator
        self.clock = clock
        maximumAttempts = refreshWindow?.maximumAttempts
        let limit = refreshWindow.map { RefreshLimit(interval: $0.interval, maximumAttempts: $0.maximumAttempts) }
        state = Lock(MutableState(machine: Machine(credential: credential, limit: limit)))
    }

    /// The credential of requests.
    ///
    /// Setting it, for example after a login, lets requests that wait for a refresh continue with it at once, and
    /// discards the result of that refresh. Setting `nil`, for example after a logout, fails them.
    public var credential: Credential? {
        get { state.withLock { $0.machine.credential } }
        set { release { $0.set(newValue) } }
    }

    // MARK: Adapting

    /// Applies the credential, after a refresh if one is due.
    @preconcurrency
    public func adapt(
        _ urlRequest: URLRequest, for session: Session,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
        guard RefreshScope.current?.isRefresh(of: ObjectIdentifier(self)) != true else {
            return completion(.success(urlRequest))
        }
        adapt(urlRequest, for: Caller(request: nil, session: session, operation: .adapt(urlRequest, completion)))
    }

    /// Applies the credential, after a refresh if one is due; called by the session.
    @preconcurrency
    public func adapt(
        _ urlRequest: URLRequest, using state: RequestAdapterState,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
        guard !isPartOfRefresh(state.request) else { return completion(.success(urlRequest)) }
        adapt(
            urlRequest,
            for: Caller(request: state.request, session: state.session, operation: .adapt(urlRequest, completion))
        )
    }

    private func adapt(_ urlRequest: URLRequest, for caller: Caller) {
        let (credential, version) = state.withLock { ($0.machine.credential, $0.machine.version) }
        // User code, called without a lock; if the credential changes meanwhile, the state machine reports it.
        let requiresRefresh = credential?.requiresRefresh ?? false
        let now = clock()
        enqueue(for: caller) { machine, number in
            machine.adapt(number, seen: version, requiresRefresh: requiresRefresh, now: now)
        }
    }

    // MARK: Retrying

    /// Retries a request that was refused for its credential with the next credential.
    @preconcurrency
    public func retry(
        _ request: Request, for session: Session, dueTo error: any Error,
        completion: @escaping @Sendable (RetryResult) -> Void
    ) {
        // The response of an earlier attempt does not refuse this one: an adapter that fails would be called forever.
        guard !isPartOfRefresh(request), let urlRequest = request.request, request.responseHead != nil,
            let response = request.response, request.responseLocation?.isFinal != true,
            authenticator.didRequest(urlRequest, with: response, failDueToAuthenticationError: error)
        else { return completion(.doNotRetry) }
        let (credential, version) = state.withLock { ($0.machine.credential, $0.machine.version) }
        guard let credential else {
            return completion(.doNotRetryWithError(AuthenticationError.missingCredential))
        }
        let sent = request.mutableState.withLock { $0.authentication(by: ObjectIdentifier(self)) }?.version ?? version
        // A redirect, a handler or the answer to a challenge may have taken the credential away, as it would again.
        if sent == version, let followUp = request.mutableState.withLock({ $0.rare?.followUp }),
            !authenticator.isRequest(followUp, authenticatedWith: credential)
        {
            return completion(.doNotRetry)
        }
        guard sent != version || authenticator.isRequest(urlRequest, authenticatedWith: credential) else {
            // It had this credential, but does not look like it; a retry would have the same result.
            let isFirstDoubt = request.mutableState.withLock {
                $0.doubtAuthentication(by: ObjectIdentifier(self), version)
            }
            return completion(isFirstDoubt ? .retry : .doNotRetry)
        }
        let now = clock()
        enqueue(for: Caller(request: request, session: session, operation: .retry(completion))) { machine, number in
            machine.retry(number, sent: sent, now: now)
        }
    }

    private func isPartOfRefresh(_ request: Request) -> Bool {
        request.refreshScope?.isRefresh(of: ObjectIdentifier(self)) == true
    }

    // MARK: Driving the machine; its decisions are carried out after unlocking

    private func enqueue(for caller: Caller, _ event: (inout Machine, UInt64) -> Machine.Decision) {
        let (number, decision) = state.withLock { state in
            state.lastNumber += 1
            let decision = event(&state.machine, state.lastNumber)
            if case .wait = decision { state.callers[state.lastNumber] = caller }
            return (state.lastNumber, decision)
        }
        switch decision {
        case .answer(let answer): notify(caller, answer)
        case .wait(let refresh):
            if let refresh { startRefresh(refresh, for: caller) }
            caller.request?.onFinish { [weak self] _ in self?.forget(number) }
        }
    }

    private func release(_ event: (inout Machine) -> Machine.Release) {
        let (answers, refresh, old) = state.withLock { state in
            let old = state.machine.credential
            let release = event(&state.machine)
            let answers = release.answers.compactMap { waiter, answer in
                state.callers.removeValue(forKey: waiter).map { ($0, answer) }
            }
            let refresh = release.refresh.flatMap { refresh in
                state.callers[refresh.waiter].map { (refresh, $0) }
            }
            return (answers, refresh, old)
        }
        // Released after unlocking: the end of an object may call the interceptor.
        withExtendedLifetime(old) {}
        if let (refresh, caller) = refresh { startRefresh(refresh, for: caller) }
        for (caller, answer) in answers {
            // Not here: the calling code may hold a lock that the authenticator or an adapter needs.
            caller.session.rootQueue.async { [self] in
                if case .proceed = answer { proceed(caller, answer) } else { notify(caller, answer) }
            }
        }
    }

    /// Lets a waiter continue after a refresh, or after another one if the new credential is also due.
    private func proceed(_ caller: Caller, _ answer: Machine.Answer) {
        // Without a limit this might never end: the window forgets refreshes that take long.
        guard let maximumAttempts else { return notify(caller, answer) }
        switch caller.operation {
        case .adapt(let urlRequest, let completion):
            var caller = caller
            caller.refreshes += 1
            guard caller.refreshes <= maximumAttempts else {
                return completion(.failure(AuthenticationError.excessiveRefresh))
            }
            adapt(urlRequest, for: caller)
        case .retry(let completion):
            let count = caller.request?.mutableState.withLock { $0.countRefresh(by: ObjectIdentifier(self)) } ?? 0
            guard count <= maximumAttempts else {
                return completion(.doNotRetryWithError(AuthenticationError.excessiveRefresh))
            }
            notify(caller, answer)
        }
    }

    /// Removes the waiter of a request that has ended.
    private func forget(_ number: UInt64) {
        let caller = state.withLock { state in
            state.machine.remove(number) ? state.callers.removeValue(forKey: number) : nil
        }
        switch caller?.operation {
        case .adapt(_, let completion): completion(.failure(SessionError.explicitlyCancelled))
        case .retry(let completion): completion(.doNotRetry)
        case nil: break
        }
    }

    private func notify(_ caller: Caller, _ answer: Machine.Answer) {
        switch (caller.operation, answer) {
        case (.adapt(let bare, let completion), .proceed(let credential, let version)):
            var urlRequest = bare
            let names = appliedFields.apply(to: &urlRequest) { authenticator.apply(credential, to: &$0) }
            caller.request?.keepFieldsAtOrigin(names)
            caller.request?.mutableState.withLock { $0.recordAuthentication(by: ObjectIdentifier(self), version) }
            completion(.success(urlRequest))
        case (.adapt(let urlRequest, _), .reconsider): adapt(urlRequest, for: caller)
        case (.adapt(_, let completion), .fail(let error)): completion(.failure(error))
        case (.retry(let completion), .proceed), (.retry(let completion), .reconsider): completion(.retry)
        case (.retry(let completion), .fail(let error)): completion(.doNotRetryWithError(error))
        }
    }

    // MARK: Refreshing

    private func startRefresh(_ refresh: Machine.Refresh, for caller: Caller) {
        let outer = caller.request?.refreshScope ?? RefreshScope.current
        let scope = RefreshScope(owner: ObjectIdentifier(self), within: outer)
        let answer = RefreshAnswer<Credential> { [self, clock] result in
            scope.end()
            // Later work is not part of the refresh, even if the completion is called within it.
            RefreshScope.$current.withValue(nil) {
                let now = clock()
                release { $0.refreshed(refresh.number, result, now: now) }
            }
        }
        let session = caller.session
        refreshQueue.async { [authenticator] in
            RefreshScope.$current.withValue(scope) {
                authenticator.refresh(refresh.credential, for: session) { answer.give($0) }
            }
        }
    }
}

// Excludes the credential from the output of `dump`.
extension AuthenticationInterceptor: OpaqueReflection {}
