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
        let (isOver, callsUser, verdict) = guarded.withLock { guarded in
            concludeReceiving(&guarded)
            let callsUser = concludesWithUserCode || guarded.validators.contains { $0.callsUserCode }
            return (guarded.machine.isOver, callsUser, looksAtMore ? nil : guarded.verdictOnStatus)
        }
        guard !isOver else { return discardReceived() }
        note(end.metrics)
        if let verdict { return endExchange(verdict.error) }
        if hasFailed { return fail(end) }
        guard callsUser || changesCache(guarded.withLock { $0.head }), !deliversInline else { return validate() }
        core.rootQueue.async { self.validate() }
    }

    private func fail(_ end: TransportEnd) {
        let (url, hasHead) = guarded.withLock { ($0.exchangeURL, $0.head != nil) }
        let error = receiving.failure ?? end.failure.map { Self.error(of: $0, url: url) }
        discardReceived()
        if !hasHead, let error { reportTask { .didFailTaskEarly($0, error) } }
        endExchange(error)
    }

    /// Takes what was measured of an exchange.
    func note(_ metrics: TransportMetrics?) {
        guard let metrics else { return }
        guarded.withLock { guarded in
            if let last = guarded.metrics { guarded.earlierMetrics.append(last) }
            guarded.metrics = metrics
        }
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
            ($0.head, $0.exchangeURL, $0.validators, $0.requests.last, $0.data)
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
        let action = guarded.withLock { guarded in
            let action = guarded.machine.exchangeEnded()
            // Cancelled meanwhile, the request has its error, and the task its end.
            if action != .none { guarded.error = error }
            return action
        }
        guard action != .none else { return }
        reportTask { .didCompleteTask($0, error) }
        act(on: action)
    }

    // MARK: Retrying

    /// Asks the retriers, where there is something to ask them about.
    func decide(_ attempt: Int) {
        let isFinal = guarded.withLock { guarded in
            guard guarded.error == nil || (core.interceptor == nil && interceptor == nil) else { return false }
            return guarded.machine.decidedToFinish(attempt: attempt) != .none
        }
        if isFinal { return finish(cancelsExchange: false) }
        let retriers: [any RequestRetrier] = [core.interceptor, interceptor].compactMap(\.self)
        guard let error = guarded.withLock({ $0.error }), !retriers.isEmpty, let session = core.session else {
            return perform { $0.machine.decidedToFinish(attempt: attempt) }
        }
        let chain = RetryChain(retriers: retriers, request: self, session: session, error: error) { [self] result in
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
        let (exchange, endObserver, handlers) = guarded.withLock { guarded in
            guarded.outcome = RequestOutcome(
                request: guarded.requests.last, head: guarded.head, url: guarded.exchangeURL, data: guarded.data,
                fileURL: guarded.fileURL, error: guarded.error, metrics: guarded.metrics)
            defer {
                guarded.exchange = nil
                guarded.pending = nil
                guarded.transport = nil
                guarded.observer = nil
                guarded.endObserver = nil
                guarded.finishHandlers = SmallList()
                guarded.extras?.progressHandlers = ProgressHandlers()
            }
            return (guarded.exchange, guarded.endObserver, guarded.finishHandlers)
        }
        if cancelsExchange {
            reportTask { .didCancelTask($0) }
            exchange?.cancel()
            reportTask { .didCompleteTask($0, error) }
        }
        core.unregister(self)
        tellCURLHandlers()
        report(.didFinish)
        endObserver?.didEnd(self)
        if !handlers.isEmpty, let outcome = guarded.withLock({ $0.outcome }) { handlers.forEach { $0.run(outcome) } }
    }

    /// Calls the handler once the request is over, where that became known: on the transport's thread, which must not
    /// be blocked, on the canceller's, or at once.
    package func onFinish(_ handler: @escaping @Sendable (RequestOutcome) -> Void) {
        let outcome = guarded.withLock { guarded in
            if guarded.outcome == nil { guarded.finishHandlers.append(FinishHandler(run: handler)) }
            return guarded.outcome
        }
        if let outcome { handler(outcome) }
    }

    /// Makes something of how the request ended, if it has, without a copy of it.
    ///
    /// Runs under the request's lock: the body must ask nothing of the request.
    package func withOutcome<Value: Sendable>(_ body: (RequestOutcome?) -> sending Value) -> Value {
        guarded.withLock { body($0.outcome) }
    }

    /// Has an observer learn how the request ended: at once, if it has.
    ///
    /// There is one observer at most.
    package func setEndObserver(_ observer: any RequestEndObserver) {
        let isOver = guarded.withLock { guarded in
            if guarded.outcome == nil { guarded.endObserver = observer }
            return guarded.outcome != nil
        }
        if isOver { observer.didEnd(self) }
    }

    /// Has an observer see, and change, each `URLRequest` after the adapters and before it is sent.
    package func setObserver(_ observer: any RequestObserver) {
        guarded.withLock { $0.observer = observer }
    }

    /// Has another transport than the session's carry the request, and its answer delivered as it comes.
    package func carry(by transport: any Transport) {
        guarded.withLock { guarded in
            guarded.transport = transport
            guarded.followsRedirects = false
        }
    }
}
