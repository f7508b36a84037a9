import Dispatch
public import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Sends requests with a credential, and refreshes it when it is due or refused.
///
/// One refresh is under way at a time, for any number of requests: they wait for it and go on together, or fail
/// together. A refusal of a credential that is no longer held starts none. The refresh belongs to no request, so that
/// cancelling the one that needed it first disturbs no other, and a request that the refresh itself makes does not wait
/// for it: see ``Authenticator/refresh(_:for:completion:)``.
///
/// A refused request fails, and so can be retried, only when it is validated: `request.validate()`. Without a credential
/// a request fails with ``AuthenticationError/missingCredential``.
public final class AuthenticationInterceptor<AuthenticatorType: Authenticator>: RequestInterceptor {
    /// The credential of requests.
    public typealias Credential = AuthenticatorType.Credential

    /// The limit of refreshes within a time, before ``AuthenticationError/excessiveRefresh`` stops them.
    public struct RefreshWindow: Sendable, Hashable {
        /// The time for which refreshes count, in seconds: for ever when it is infinite or NaN, not at all when it is
        /// negative.
        public let interval: TimeInterval
        /// The greatest number of refreshes that begin within the interval; with less than 1, none.
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
        /// Those whom the machine has waiting, under the numbers it knows them by.
        var callers: [UInt64: Caller] = [:]
        var lastNumber: UInt64 = 0
    }

    /// A request that waits for a credential.
    private struct Caller: Sendable {
        let request: Request?
        let session: Session
        let operation: Operation
        /// The number of refreshes that it has waited for.
        var refreshes = 0
    }

    private enum Operation: Sendable {
        case adapt(URLRequest, @Sendable (Result<URLRequest, any Error>) -> Void)
        case retry(@Sendable (RetryResult) -> Void)
    }

    private let authenticator: AuthenticatorType
    private let state: Lock<MutableState>
    /// The most refreshes that one request waits for; `nil` where refreshes have no limit.
    private let maximumAttempts: Int?
    private let clock: @Sendable () -> TimeInterval
    private let refreshQueue = DispatchQueue(label: "org.moya.session.authentication")

    /// Makes an interceptor.
    ///
    /// - Parameters:
    ///   - authenticator: Applies and refreshes the credential.
    ///   - credential: The credential of requests; it can be set later.
    ///   - refreshWindow: The limit of refreshes within a time; `nil` for no limit.
    public convenience init(
        authenticator: AuthenticatorType, credential: Credential? = nil, refreshWindow: RefreshWindow? = RefreshWindow()
    ) {
        let origin = ContinuousClock.now
        self.init(authenticator: authenticator, credential: credential, refreshWindow: refreshWindow) {
            origin.duration(to: .now) / .seconds(1)
        }
    }

    /// Makes an interceptor that takes the seconds for its refresh window from a clock of the caller's.
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
    /// Setting it, such as after a login, lets requests that wait for a refresh go on with it at once, and what that
    /// refresh still brings is passed over; setting `nil`, such as after a logout, fails them.
    public var credential: Credential? {
        get { state.withLock { $0.machine.credential } }
        set { release { $0.set(newValue) } }
    }

    // MARK: Adapting

    /// Applies the credential, after a refresh where that is due.
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

    /// Applies the credential, after a refresh where that is due; what the session calls.
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
        // The user's code, so with no lock held; should the credential change meanwhile, the machine says so.
        let requiresRefresh = credential?.requiresRefresh ?? false
        enqueue(for: caller) { [clock] machine, number in
            machine.adapt(number, seen: version, requiresRefresh: requiresRefresh, now: clock())
        }
    }

    // MARK: Retrying

    /// Has a request that was refused for its credential sent again with the next one.
    @preconcurrency
    public func retry(
        _ request: Request, for session: Session, dueTo error: any Error,
        completion: @escaping @Sendable (RetryResult) -> Void
    ) {
        guard !isPartOfRefresh(request), let urlRequest = request.request, let response = request.response,
            authenticator.didRequest(urlRequest, with: response, failDueToAuthenticationError: error)
        else { return completion(.doNotRetry) }
        let (credential, version) = state.withLock { ($0.machine.credential, $0.machine.version) }
        guard let credential else {
            return completion(.doNotRetryWithError(AuthenticationError.missingCredential))
        }
        let sent = request.authentication(by: ObjectIdentifier(self))?.version ?? version
        guard sent != version || authenticator.isRequest(urlRequest, authenticatedWith: credential) else {
            // It had this credential, and does not look like it; the same again would come out the same.
            return completion(request.doubtAuthentication(by: ObjectIdentifier(self), version) ? .retry : .doNotRetry)
        }
        enqueue(for: Caller(request: request, session: session, operation: .retry(completion))) {
            [clock] machine, number in
            machine.retry(number, sent: sent, now: clock())
        }
    }

    private func isPartOfRefresh(_ request: Request) -> Bool {
        request.interception.refreshScope?.isRefresh(of: ObjectIdentifier(self)) == true
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
            if let refresh { begin(refresh, for: caller) }
            caller.request?.onFinish { [weak self] _ in self?.forget(number) }
        }
    }

    private func release(_ event: (inout Machine) -> Machine.Release) {
        let (answers, refresh) = state.withLock { state in
            let release = event(&state.machine)
            let answers = release.answers.compactMap { waiter, answer in
                state.callers.removeValue(forKey: waiter).map { ($0, answer) }
            }
            let refresh = release.refresh.flatMap { refresh in
                state.callers[refresh.waiter].map { (refresh, $0) }
            }
            return (answers, refresh)
        }
        if let (refresh, caller) = refresh { begin(refresh, for: caller) }
        for (caller, answer) in answers {
            if case .proceed = answer { proceed(caller, answer) } else { notify(caller, answer) }
        }
    }

    /// Lets one go on who has waited for a refresh, after another one where the new credential is due as well.
    private func proceed(_ caller: Caller, _ answer: Machine.Answer) {
        // Without a limit this would go on for ever.
        guard case .adapt(let urlRequest, let completion) = caller.operation, let maximumAttempts else {
            return notify(caller, answer)
        }
        var caller = caller
        caller.refreshes += 1
        guard caller.refreshes <= maximumAttempts else {
            return completion(.failure(AuthenticationError.excessiveRefresh))
        }
        adapt(urlRequest, for: caller)
    }

    /// Lets go of one who waits for a request that is over.
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
            authenticator.apply(credential, to: &urlRequest)
            caller.request?.keepFieldsAtOrigin(urlRequest.fields(changedSince: bare))
            caller.request?.recordAuthentication(by: ObjectIdentifier(self), version)
            completion(.success(urlRequest))
        case (.adapt(let urlRequest, _), .reconsider): adapt(urlRequest, for: caller)
        case (.adapt(_, let completion), .fail(let error)): completion(.failure(error))
        case (.retry(let completion), .proceed), (.retry(let completion), .reconsider): completion(.retry)
        case (.retry(let completion), .fail(let error)): completion(.doNotRetryWithError(error))
        }
    }

    // MARK: Refreshing

    private func begin(_ refresh: Machine.Refresh, for caller: Caller) {
        let outer = caller.request?.interception.refreshScope ?? RefreshScope.current
        let scope = RefreshScope(owner: ObjectIdentifier(self), within: outer)
        let answer = RefreshAnswer<Credential> { [self, clock] result in
            scope.end()
            // Later work is no part of the refresh, even where the completion is called within it.
            RefreshScope.$current.withValue(nil) {
                release { $0.refreshed(refresh.number, result, now: clock()) }
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
