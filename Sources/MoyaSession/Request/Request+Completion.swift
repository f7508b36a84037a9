import Foundation
package import MoyaTransport

/// From the end of an attempt to the end of the request: retry or finish.
extension Request {
    // MARK: Retrying

    /// Calls the retriers, where they have something to decide.
    func decide(_ attempt: Int) {
        let hasRetriers = !interceptors.isEmpty && !isStreaming
        if let end = mutableState.withLock({ $0.finish(attempt, hasRetriers: hasRetriers) }) {
            return announce(end)
        }
        guard hasRetriers, let error = mutableState.withLock({ $0.error }), let session = core.session else {
            return perform { $0.machine.decidedToFinish(attempt: attempt) }
        }
        let chain = RetryChain(retriers: interceptors, request: self, session: session, error: error) { [self] result in
            switch result {
            case .retry: retry(attempt, after: 0)
            case .retryWithDelay(let seconds): retry(attempt, after: seconds)
            case .doNotRetry: perform { $0.machine.decidedToFinish(attempt: attempt) }
            case .doNotRetryWithError(let retryError):
                perform { state in
                    let action = state.machine.decidedToFinish(attempt: attempt)
                    // A request that is over by now keeps the error that it ended with.
                    if action != .none {
                        state.error = .requestRetryFailed(retryError: retryError, originalError: error)
                    }
                    return action
                }
            }
        }
        let transport = mutableState.withLock { $0.transport } ?? core.stack
        guard !transport.deliversWhereCodeMayBlock else { return decide(chain, attempt) }
        core.rootQueue.async { self.decide(chain, attempt) }
    }

    private func decide(_ chain: RetryChain, _ attempt: Int) {
        chain.run()
        watchDeadline(in: .deciding, of: attempt)
    }

    private func retry(_ attempt: Int, after seconds: TimeInterval) {
        let delay = seconds > 0 ? seconds : 0
        let action = mutableState.withLock { state in
            // An attempt that would begin beyond the deadline is not made; the error that is known says more than that.
            guard delay < state.deadline?.secondsLeft() ?? .infinity else {
                return state.machine.decidedToFinish(attempt: attempt)
            }
            let action = state.machine.decidedToRetry(attempt: attempt)
            if action != .none { state.endTask(of: self) }
            return action
        }
        guard case .wait(let next) = action else { return act(on: action) }
        report(.isRetrying)
        if delay > 0 {
            core.rootQueue.asyncAfter(deadline: .now() + delay) { self.perform { $0.machine.waited(attempt: next) } }
        } else {
            perform { $0.machine.waited(attempt: next) }
        }
    }

    // MARK: Finishing

    /// Notifies everyone that the request is over; runs once.
    func finish(cancelsExchange: Bool) {
        let end = mutableState.withLock { $0.conclude() }
        if cancelsExchange {
            reportTask { .didCancelTask($0) }
            end.exchange?.cancel()
            reportTask { .didCompleteTask($0, error) }
        }
        announce(end)
    }

    func announce(_ end: MutableState.End) {
        core.unregister(self)
        stream?.finish()
        if end.hasCURLHandlers { notifyCURLHandlers() }
        report(.didFinish)
        end.observer?.didEnd(self)
        guard !end.handlers.isEmpty, let outcome else { return }
        // Progress comes before the end, on whichever queues the two are.
        guard let progress = end.progress, progress.wait(timeout: .now()) == .timedOut else {
            return end.handlers.forEach { $0.run(self, outcome) }
        }
        progress.notify(queue: core.rootQueue) { [self] in end.handlers.forEach { $0.run(self, outcome) } }
    }

    /// Calls the handler once the request is over, where that became known: on the transport's thread, which must not
    /// be blocked, on the canceller's, or at once.
    package func onFinish(_ handler: @escaping @Sendable (RequestOutcome) -> Void) {
        onFinish { _, outcome in handler(outcome) }
    }

    /// The same for a handler that is given the request, and so need not hold it.
    ///
    /// - Parameter isFirst: `true` if the handler runs before those that were added so far.
    func onFinish(isFirst: Bool = false, _ handler: @escaping @Sendable (Request, RequestOutcome) -> Void) {
        let outcome = mutableState.withLock { state in
            if !state.isConcluded { state.finishHandlers.add(FinishHandler(run: handler), isFirst: isFirst) }
            return state.isConcluded ? RequestOutcome(of: self, state) : nil
        }
        if let outcome { handler(self, outcome) }
    }

    /// The result of the request; `nil` before its end.
    package var outcome: RequestOutcome? {
        mutableState.withLock { $0.isConcluded ? RequestOutcome(of: self, $0) : nil }
    }

    /// Makes the request part of a call, before it is started.
    ///
    /// - Parameters:
    ///   - call: Learns how the request ended: at once, if it has.
    ///   - observes: `true` if the call sees, and changes, each `URLRequest` after the adapters and before it is sent.
    ///   - acceptable: The status codes of the responses to accept; `nil` for all.
    ///   - transport: Carries the request instead of the session's, and has its answer delivered as it comes.
    package func join(
        _ call: any RequestObserver & RequestEndObserver, observes: Bool, accepting acceptable: StatusCodes?,
        carriedBy transport: (any Transport & AnyObject)?
    ) {
        let isOver = mutableState.withLock { state in
            state.join(accepting: acceptable, carriedBy: transport)
            if observes { state.observer = call }
            if !state.isConcluded { state.endObserver = call }
            return state.isConcluded
        }
        if isOver { call.didEnd(self) }
    }
}
