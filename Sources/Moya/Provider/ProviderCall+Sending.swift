import Foundation
import MoyaSession
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// From the request closure to the session's request.
extension ProviderCall {
    /// Gets the request of the call and sends it, through the middleware where there is any.
    func begin(
        _ beginning: Beginning,
        by requestClosure: (Endpoint, @escaping @Sendable (Result<URLRequest, MoyaError>) -> Void) -> Void
    ) {
        guard start() else { return }
        if parent == nil, let route, !route.middleware.isEmpty {
            let answer = Answer()
            requestClosure(beginning.endpoint) { answer.send($0) }
            return pass(beginning, answer)
        }
        state.withLock { $0.beginning = beginning }
        // Captures the call alone, and so takes no memory.
        requestClosure(beginning.endpoint) { self.go(on: $0) }
    }

    /// Sends what needs neither an endpoint nor a `URLRequest`, to the network or to its stub.
    ///
    /// - Parameters:
    ///   - validationType: The status codes that the target accepts.
    ///   - sample: Gives the sample response of a stub.
    func begin(
        _ plain: HTTPRequest, _ behavior: StubBehavior, in session: Session,
        accepting validationType: ValidationType, sample: @autoclosure () -> Endpoint.SampleResponseClosure
    ) {
        guard start(), mayGoOn(), isInTime() else { return }
        let stub = behavior.isStub ? StubTransport(behavior: behavior, sample: sample()) : nil
        launch(
            session.request(plain, interceptor: nil), isUpload: false, behavior, carriedBy: stub,
            accepting: validationType.acceptableStatusCodes)
    }

    /// Puts the call among those of its provider and starts its time; `false` when there is none.
    private func start() -> Bool {
        calls?.insert(self)
        guard parent == nil, let route, let total = route.deadlines.total else { return true }
        let left = route.timeline.remaining(of: total)
        guard left > .zero else {
            arrive(.final(.failure(route.overdue(total, "total"))))
            return false
        }
        keep(
            route.timeline.timer(after: left) { [self] in expire(with: route.overdue(total, "total")) },
            isOfAttempt: false)
        return true
    }

    /// Keeps a timer until the call is over.
    private func keep(_ timer: CallTimer?, isOfAttempt: Bool) {
        let isFinished = state.withLock { state in
            guard !state.isFinished else { return true }
            if isOfAttempt { state.timers.attempt = timer } else { state.timers.total = timer }
            return false
        }
        if isFinished { timer?.cancel() }
    }

    /// Takes the request closure's answer, of which only the first counts; `false` when nothing is to be sent.
    private func mayGoOn() -> Bool {
        let (isFirst, stopped) = state.withLock { state in
            defer { state.hasRequest = true }
            return (!state.hasRequest, state.stopped)
        }
        if isFirst, let stopped { arrive(.received(.failure(stopped)), inline: true) }
        return isFirst && stopped == nil
    }

    private func go(on answer: Result<URLRequest, MoyaError>) {
        // Without a beginning the call was stopped, and is over with this answer.
        let beginning = state.withLock { $0.beginning.take() }
        guard mayGoOn(), let beginning else { return }
        switch answer {
        case .success(let request): send(request, beginning)
        case .failure(let error): arrive(.unsent(.failure(error)), inline: true)
        }
    }

    /// Sends a request, to the network or to its stub.
    private func send(_ request: URLRequest, _ beginning: Beginning) {
        guard isInTime() else { return }
        if let stubbing = beginning.stubbing { return stubbing(self, request) }
        if beginning.behavior.isStub {
            return stub(
                request, as: beginning.behavior, with: beginning.endpoint, in: beginning.session, at: beginning.pace)
        }
        do {
            let task = beginning.endpoint.task
            launch(
                try task.request(request, target: target, in: beginning.session), isUpload: task.isUpload, .never,
                carriedBy: nil, accepting: target?.validationType.acceptableStatusCodes)
        } catch {
            arrive(.received(.failure(error)), inline: true)
        }
    }

    /// Has a request answered by its sample, through everything else that a call passes.
    func stub(
        _ request: URLRequest, as behavior: StubBehavior, with endpoint: Endpoint, in session: Session,
        at pace: SamplePace? = nil
    ) {
        calls?.insert(self)
        guard behavior.isStub else {
            return arrive(.received(.failure(.underlying(TargetError.stubBehaviorIsNever, nil))), inline: true)
        }
        launch(
            session.request(request, interceptor: nil), isUpload: endpoint.task.isUpload, behavior,
            carriedBy: StubTransport(behavior: behavior, sample: endpoint.sampleResponseClosure, pace: pace),
            accepting: target?.validationType.acceptableStatusCodes)
    }

    /// `true` if an attempt has any time; ends the call if not.
    private func isInTime() -> Bool {
        guard let route, let bound = route.deadlines.attempt, bound <= .zero else { return true }
        arrive(.final(.failure(route.overdue(bound, "attempt"))))
        return false
    }

    private func launch(
        _ request: Request, isUpload: Bool, _ behavior: StubBehavior, carriedBy stub: StubTransport?,
        accepting acceptable: StatusCodes?
    ) {
        if let route {
            request.timeouts(route.timeouts)
            if let bytes = route.maximumResponseBytes { request.maximumResponseBytes(bytes) }
        }
        unsent?.pass(to: request)
        request.keepFieldsAtOrigin(credentialFields)
        // A refresh token is for the token endpoint alone, wherever that points.
        if target?.innermost is RefreshGrant { request.redirect(using: .doNotFollow) }
        observeProgress(of: request, isUpload: isUpload)
        if isStreamed { request.streamResponse() }
        request.join(self, observes: !plugins.isEmpty, accepting: acceptable, carriedBy: stub)
        let isStopped = state.withLock { state in
            if behavior.isImmediate, queue == nil { state.delivery = .inline }
            state.stub = stub
            if !state.isFinished { state.request = request }
            return state.stopped != nil || state.isFinished
        }
        guard !isStopped else {
            request.cancel()
            return
        }
        if let route, let bound = route.deadlines.attempt {
            keep(
                route.timeline.timer(after: bound) { [self] in expire(with: route.overdue(bound, "attempt")) },
                isOfAttempt: true)
        }
        request.resume()
    }

    /// Keeps what cancels a stub that a subclass of the provider made.
    func isStubbed(by token: CancellableToken) {
        let isStopped = state.withLock { state in
            if !state.isFinished { state.token = token }
            return state.stopped != nil
        }
        if isStopped { token.cancel() }
    }
}

extension ProviderCall: RequestObserver {
    func prepare(_ urlRequest: URLRequest) -> URLRequest {
        guard let target else { return urlRequest }
        return plugins.reduce(urlRequest) { $1.prepare($0, target: target) }
    }

    func willSend(_ request: Request) {
        guard let target else { return }
        for plugin in plugins { plugin.willSend(request, target: target) }
    }
}
