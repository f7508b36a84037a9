import Foundation
package import MoyaTransport
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// From the end of an exchange to the end of the request: validate, retry or finish.
extension Request {
    /// Whether events, and so what follows from them, arrive where code of the user's may run.
    var deliversInline: Bool { (guarded.withLock { $0.transport } ?? core.transport).deliversWhereCodeMayBlock }

    /// Takes the end of an attempt's last exchange.
    func conclude(_ end: TransportEnd) {
        let hasFailed = receiving.failure != nil || end.failure != nil
        // Monitors hear of each validation, the cache may take the body, and a file is checked and moved.
        let looksAtMore = hasFailed || core.monitor != nil || receiving.caching != nil || self is DownloadRequest
        let next = guarded.withLock { guarded -> AfterExchange in
            guard !guarded.machine.isOver else { return .nothing }
            concludeReceiving(&guarded)
            guard !looksAtMore, let verdict = guarded.verdictOnStatus else {
                let callsUser = concludesWithUserCode || guarded.validators.contains { $0.callsUserCode }
                return .validation(callsUser: callsUser)
            }
            // The usual end of a request, all of it under one lock.
            if let metrics = end.metrics { guarded.note(metrics) }
            let action = guarded.endExchange(verdict.error)
            guard case .decide(let attempt) = action,
                let over = guarded.finish(attempt, hasRetriers: !interceptors.isEmpty)
            else { return .action(action) }
            return .end(over)
        }
        switch next {
        case .end(let end): announce(end)
        case .action(let action): act(on: action)
        case .nothing: discardReceived()
        case .validation(let callsUser):
            note(end.metrics)
            if hasFailed { return fail(end) }
            guard callsUser || changesCache(guarded.withLock { $0.head }), !deliversInline else { return validate() }
            core.rootQueue.async { self.validate() }
        }
    }

    /// What follows from the end of an exchange.
    private enum AfterExchange {
        /// The request is over, and was before.
        case nothing
        /// It is over with this.
        case end(Guarded.End)
        case action(RequestStateMachine.Action)
        /// There is more to look at than the status code.
        case validation(callsUser: Bool)
    }

    private func fail(_ end: TransportEnd) {
        let (url, hasHead) = guarded.withLock { ($0.exchangeURL?.url, $0.head != nil) }
        let error = receiving.failure ?? end.failure.map { Self.error(of: $0, url: url) }
        discardReceived()
        if !hasHead, let error { reportTask { .didFailTaskEarly($0, error) } }
        endExchange(error)
    }

    /// Takes what was measured of an exchange.
    func note(_ metrics: TransportMetrics?) {
        guard let metrics else { return }
        guarded.withLock { $0.note(metrics) }
        report(.didGatherMetrics(metrics))
    }

    private static func error(of failure: TransportFailure, url: URL?) -> SessionError {
        guard case .tls(.refusedByPolicy) = failure.kind, let cause = failure.cause else {
            return SessionError(transportFailure: failure, url: url)
        }
        return (cause as? SessionError) ?? .serverTrustEvaluationFailed(reason: .customEvaluationFailed(error: cause))
    }

    private func validate() {
        let (head, url, validators, request, data) = guarded.withLock {
            ($0.head, $0.exchangeURL?.url, $0.validators, $0.lastRequest, $0.data)
        }
        guard let head, let url else { return endExchange(nil) }
        if changesCache(head) { changeCache(head, data) }
        do throws(SessionError) {
            try deliverBody(head: head, url: url)
            if !validators.isEmpty {
                let file: URL?? = self is DownloadRequest ? .some(guarded.withLock { $0.fileURL }) : nil
                var input = ValidationInput(request: request, head: head, url: url, data: data, file: file)
                try validators.forEach { validator throws(SessionError) in try validate(&input, by: validator) }
            }
            endExchange(nil)
        } catch {
            endExchange(error)
        }
    }

    private func validate(_ input: inout ValidationInput, by validator: ResponseValidator) throws(SessionError) {
        let result: Result<Void, SessionError>
        do throws(SessionError) {
            try validator.validate(&input)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        // A validation that has ended its own request was told of in full by that end.
        if core.monitor != nil, !guarded.withLock({ $0.machine.isOver }) {
            report(
                .didValidate(
                    input.request, input.head, input.url, data: input.data, fileURL: input.fileURL,
                    result.mapError { $0 as any Error }))
        }
        try result.get()
    }

    private func endExchange(_ error: SessionError?) {
        let action = guarded.withLock { $0.endExchange(error) }
        guard action != .none else { return }
        reportTask { .didCompleteTask($0, error) }
        act(on: action)
    }

    // MARK: Retrying

    /// Asks the retriers, where there is something to ask them about.
    func decide(_ attempt: Int) {
        if let end = guarded.withLock({ $0.finish(attempt, hasRetriers: !interceptors.isEmpty) }) {
            return announce(end)
        }
        guard let error = guarded.withLock({ $0.error }), !interceptors.isEmpty, let session = core.session else {
            return perform { $0.machine.decidedToFinish(attempt: attempt) }
        }
        let chain = RetryChain(retriers: interceptors, request: self, session: session, error: error) { [self] result in
            switch result {
            case .retry: retry(attempt, after: 0)
            case .retryWithDelay(let seconds): retry(attempt, after: seconds)
            case .doNotRetry: perform { $0.machine.decidedToFinish(attempt: attempt) }
            case .doNotRetryWithError(let retryError):
                perform { guarded in
                    let action = guarded.machine.decidedToFinish(attempt: attempt)
                    // A request that is over by now keeps the error that it ended with.
                    if action != .none {
                        guarded.error = .requestRetryFailed(retryError: retryError, originalError: error)
                    }
                    return action
                }
            }
        }
        guard !deliversInline else { return ask(chain, attempt) }
        core.rootQueue.async { self.ask(chain, attempt) }
    }

    private func ask(_ chain: RetryChain, _ attempt: Int) {
        chain.run()
        watchDeadline(in: .deciding, of: attempt)
    }

    private func retry(_ attempt: Int, after seconds: TimeInterval) {
        let delay = seconds > 0 ? seconds : 0
        let action = guarded.withLock { guarded in
            // An attempt that would begin beyond the deadline is none; the error that is known says more than that.
            guard delay < guarded.deadline?.secondsLeft() ?? .infinity else {
                return guarded.machine.decidedToFinish(attempt: attempt)
            }
            let action = guarded.machine.decidedToRetry(attempt: attempt)
            if action != .none {
                guarded.error = nil
                guarded.head = nil
                guarded.data = nil
                guarded.fileURL = nil
            }
            return action
        }
        guard case .wait(let next) = action else { return act(on: action) }
        report(.isRetrying)
        receiving = Receiving()
        if delay > 0 {
            core.rootQueue.asyncAfter(deadline: .now() + delay) { self.perform { $0.machine.waited(attempt: next) } }
        } else {
            perform { $0.machine.waited(attempt: next) }
        }
    }

    // MARK: Finishing

    /// Tells everyone that the request is over; runs once.
    func finish(cancelsExchange: Bool) {
        let end = guarded.withLock { $0.conclude() }
        if cancelsExchange {
            reportTask { .didCancelTask($0) }
            end.exchange?.cancel()
            reportTask { .didCompleteTask($0, error) }
        }
        announce(end)
    }

    private func announce(_ end: Guarded.End) {
        core.unregister(self)
        if end.hasCURLHandlers { tellCURLHandlers() }
        report(.didFinish)
        end.observer?.didEnd(self)
        if end.isAwaited { if let turn = DeliveryTurn.current { turn.put(self) } else { deliver() } }
        guard !end.handlers.isEmpty, let outcome = guarded.withLock({ $0.outcome }) else { return }
        end.handlers.forEach { $0.run(outcome) }
    }

    /// Calls the handler once the request is over, where that became known: on the transport's thread, which must not
    /// be blocked, on the canceller's, or at once.
    package func onFinish(_ handler: @escaping @Sendable (RequestOutcome) -> Void) {
        let outcome = guarded.withLock { guarded in
            if !guarded.isConcluded { guarded.finishHandlers.append(FinishHandler(run: handler)) }
            return guarded.outcome
        }
        if let outcome { handler(outcome) }
    }

    /// Shows what the request came to, unless it is not over.
    ///
    /// Runs under the request's lock: the body must ask nothing of the request. It is not generic, so that it is as quick
    /// from another module.
    package func withOutcome(_ body: (borrowing Guarded) -> Void) {
        guarded.withLock { if $0.isConcluded { body($0) } }
    }

    /// Makes the request part of a call, before it is started.
    ///
    /// - Parameters:
    ///   - call: Learns how the request ended: at once, if it has.
    ///   - observes: Whether the call sees, and changes, each `URLRequest` after the adapters and before it is sent.
    ///   - acceptable: The status codes of the responses to accept; `nil` for all.
    ///   - transport: Carries the request instead of the session's, and has its answer delivered as it comes.
    package func join(
        _ call: any RequestObserver & RequestEndObserver, observes: Bool, accepting acceptable: StatusCodes?,
        carriedBy transport: (any Transport)?
    ) {
        let isOver = guarded.withLock { guarded in
            guarded.join(accepting: acceptable, carriedBy: transport)
            if observes { guarded.observer = call }
            if !guarded.isConcluded { guarded.endObserver = call }
            return guarded.isConcluded
        }
        if isOver { call.didEnd(self) }
    }
}

extension Request.Guarded {
    /// Those who are to be told of a request's end, and what it leaves.
    struct End {
        let exchange: (any TransportExchange)?
        let observer: (any RequestEndObserver)?
        let isAwaited: Bool
        let handlers: SmallList<FinishHandler>
        let hasCURLHandlers: Bool
    }

    /// Takes what a call wants of the request.
    mutating func join(accepting acceptable: StatusCodes?, carriedBy transport: (any Transport)?) {
        if let acceptable { validators.append(.statusCode(acceptable)) }
        guard let transport else { return }
        self.transport = transport
        followsRedirects = false
    }

    /// Takes what was measured of an exchange.
    mutating func note(_ metrics: TransportMetrics) {
        if let last = self.metrics { earlierMetrics.append(last) }
        self.metrics = metrics
    }

    /// Takes the end of an attempt's last exchange.
    mutating func endExchange(_ error: SessionError?) -> RequestStateMachine.Action {
        hasExchangeEnded = true
        let action = machine.exchangeEnded()
        // Cancelled meanwhile, the request has its error, and the task its end.
        if action != .none { self.error = error }
        return action
    }

    /// Ends the request after an attempt that nobody is to be asked about; `nil` where somebody is.
    mutating func finish(_ attempt: Int, hasRetriers: Bool) -> End? {
        guard error == nil || !hasRetriers, machine.decidedToFinish(attempt: attempt) != .none else { return nil }
        return conclude()
    }

    /// Lets go of what a request that is over does not need.
    mutating func conclude() -> End {
        let end = End(
            exchange: exchange.take(), observer: endObserver.take(), isAwaited: waiter != nil, handlers: finishHandlers,
            hasCURLHandlers: extras.map { !$0.curlHandlers.isEmpty } ?? false)
        isConcluded = true
        pending = nil
        transport = nil
        observer = nil
        finishHandlers = SmallList()
        extras?.progressHandlers = ProgressHandlers()
        return end
    }
}
