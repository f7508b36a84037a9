import Foundation
import MoyaSession
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Makes and sends the request of a call.
extension ProviderCall {
    /// Makes the request of the call and sends it, through the middleware if there is any.
    func start(
        _ context: SendContext,
        by requestClosure: (Endpoint, @escaping @Sendable (Result<URLRequest, MoyaError>) -> Void) -> Void
    ) {
        guard startDeadline() else { return }
        var context = context
        if parent == nil, let scope = RefreshScope.current { context = context.within(scope) }
        state.withLock { [context] in $0.context = context }
        // A closure that captures only the call needs no allocation.
        requestClosure(context.endpoint) { self.handle($0) }
    }

    /// Sends a request that needs neither an endpoint nor a `URLRequest`, to the network or to its stub.
    ///
    /// - Parameters:
    ///   - validationType: The target's accepted status codes.
    ///   - sample: Returns the sample response of a stub.
    func start(
        _ plain: consuming HTTPRequest, _ behavior: StubBehavior, in session: Session,
        accepting validationType: ValidationType, sample: @autoclosure () -> Endpoint.SampleResponseClosure
    ) {
        guard startDeadline(), acceptAnswer(), hasTimeLeft() else { return }
        let stub =
            behavior.isStub ? StubTransport(behavior: behavior, queue: queue(of: behavior), sample: sample()) : nil
        launch(
            session.request(consume plain, interceptor: nil), isUpload: false, behavior, stubbedBy: stub,
            accepting: validationType.acceptableStatusCodes)
    }

    /// Starts the total deadline of the call; `false` if no time is left.
    private func startDeadline() -> Bool {
        guard parent == nil, let route, let total = route.deadlines.total else { return true }
        guard route.timeline.remaining(of: total) > .zero else {
            arrive(.unreceived(.failure(route.timeoutError(total, "total"))))
            return false
        }
        // The timeline began with the call.
        keep(
            route.timeline.timer(after: total) { [self] in expire(with: route.timeoutError(total, "total")) },
            isOfAttempt: false)
        return true
    }

    /// Retains a timer until the call is over.
    private func keep(_ timer: CallTimer?, isOfAttempt: Bool) {
        let isFinished = state.withLock { state in
            guard !state.isFinished else { return true }
            if isOfAttempt { state.timers.attempt = timer } else { state.timers.total = timer }
            return false
        }
        if isFinished { timer?.cancel() }
    }

    /// Accepts the first answer of the request closure; `false` if there is nothing to send.
    private func acceptAnswer() -> Bool {
        let (isFirst, stopped) = state.withLock { state in
            defer { state.hasRequest = true }
            return (!state.hasRequest, state.stopped)
        }
        if isFirst, let stopped { arrive(.received(.failure(stopped)), inline: !passesMiddleware) }
        return isFirst && stopped == nil
    }

    private func handle(_ answer: Result<URLRequest, MoyaError>) {
        // Without a context the call was stopped, and this answer ends it.
        let context = state.withLock { $0.context.take() }
        guard acceptAnswer(), let context else { return }
        if parent == nil, passesMiddleware { return pass(context, answer) }
        switch answer {
        case .success(let request):
            guard let scope = context.refreshScope else { return send(request, context) }
            RefreshScope.$current.withValue(scope) { send(request, context) }
        case .failure(let error): arrive(.unreceived(.failure(error)), inline: true)
        }
    }

    /// Sends a request, to the network or to its stub.
    private func send(_ request: URLRequest, _ context: SendContext) {
        guard hasTimeLeft() else { return }
        if let stubbing = context.stubbing {
            willReportProgress()
            return stubbing(self, request)
        }
        if context.behavior.isStub {
            return stub(
                request, as: context.behavior, with: context.endpoint, in: context.session, at: context.pace)
        }
        do {
            let task = context.endpoint.task
            let made = try context.session.unstarted { session throws(MoyaError) in
                try task.request(request, in: session)
            }
            if context.isOfRefresh { made.staysAtOrigin = true }
            launch(made, isUpload: task.isUpload, .never, stubbedBy: nil, accepting: acceptableStatusCodes)
        } catch {
            arrive(.unreceived(.failure(error)), inline: true)
        }
    }

    /// Answers a request with its sample; all other stages of a call apply.
    func stub(
        _ request: URLRequest, as behavior: StubBehavior, with endpoint: Endpoint, in session: Session,
        at pace: SamplePace? = nil
    ) {
        guard behavior.isStub else {
            return arrive(.unreceived(.failure(.underlying(TargetError.stubBehaviorIsNever, nil))), inline: true)
        }
        launch(
            session.unstarted { $0.request(request, interceptor: nil) }, isUpload: endpoint.task.isUpload, behavior,
            stubbedBy: StubTransport(
                behavior: behavior, queue: queue(of: behavior), sample: endpoint.sampleResponseClosure, pace: pace),
            accepting: acceptableStatusCodes)
    }

    /// The queue on which a delayed stub answers, which is that of the completion; `nil` for any other.
    private func queue(of behavior: StubBehavior) -> DispatchQueue? {
        guard case .delayed = behavior else { return nil }
        return if case .task = (parent ?? self).state.withLock({ $0.consumer }) { .global() } else { queue ?? .main }
    }

    /// The status codes that the session accepts; `nil` for its default.
    private var acceptableStatusCodes: StatusCodes? {
        isStreamed ? target?.validationType.streamedStatusCodes : target?.validationType.acceptableStatusCodes
    }

    /// Checks that the attempt has time left; ends the call if not.
    private func hasTimeLeft() -> Bool {
        guard let route, let bound = route.deadlines.attempt, bound <= .zero else { return true }
        arrive(.unreceived(.failure(route.timeoutError(bound, "attempt"))))
        return false
    }

    private func launch(
        _ request: Request, isUpload: Bool, _ behavior: StubBehavior, stubbedBy stub: StubTransport?,
        accepting acceptable: StatusCodes?
    ) {
        if let route {
            if let timeouts = route.timeouts(of: request, isAttempt: parent != nil) { request.timeouts(timeouts) }
            if let bytes = route.maximumResponseBytes { request.maximumResponseBytes(bytes) }
        }
        unsent?.pass(to: request)
        request.keepFieldsAtOrigin(credentialFields)
        if isOffline { request.answerOffline() }
        if reloads { request.reload() }
        // A refresh token is only for the token endpoint, so a redirect is not followed.
        if let target, target.innermostType == RefreshGrant.self { request.redirect(using: .doNotFollow) }
        observeProgress(of: request, isUpload: isUpload)
        if isStreamed { request.streamResponse() }
        request.join(self, observes: !plugins.isEmpty, accepting: acceptable, stubbedBy: stub)
        // An end that becomes known elsewhere or later belongs on the main queue.
        let isInline = behavior.isImmediate && queue == nil
        defer { if isInline { state.withLock { $0.launcher = nil } } }
        let download = parent == nil ? nil : request.downloadedFile
        let isStopped = state.withLock { state in
            state.download = download
            if isInline { state.launcher = ThreadIdentity() }
            state.stub = stub
            if !state.isFinished { state.request = request }
            return state.stopped != nil || state.isFinished
        }
        guard !isStopped else {
            request.cancel()
            return
        }
        // The session bounds each exchange with a server, but not by the provider's clock, and no stub.
        if let route, let bound = route.deadlines.attempt, stub != nil || !route.timeline.isContinuous {
            keep(
                route.timeline.timer(after: bound) { [self] in expire(with: route.timeoutError(bound, "attempt")) },
                isOfAttempt: true)
        }
        request.start()
    }

    /// Stores the token that cancels a subclass's stub.
    func isStubbed(by token: CancellableToken) {
        let isStopped = state.withLock { state in
            if !state.isFinished { state.token = token }
            return state.stopped != nil
        }
        if isStopped { token.cancel() }
    }
}

extension ProviderCall: RequestObserver {
    func prepare(_ urlRequest: consuming URLRequest) -> URLRequest {
        guard let target else { return urlRequest }
        return plugins.prepare(urlRequest, target: target)
    }

    func willSend(_ request: Request) {
        guard let target else { return }
        for plugin in plugins { plugin.willSend(request, target: target) }
    }
}
