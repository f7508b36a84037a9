import Foundation
package import MoyaTransport

/// Ends an attempt: retries or finishes the request.
extension Request {
    // MARK: Retrying

    /// Asks the retriers for a decision, if the attempt can be retried.
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
                    // A request that is already over keeps its error.
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
        guard !isOver else { return }
        chain.run()
        watchDeadline(in: .deciding, of: attempt)
    }

    private func retry(_ attempt: Int, after seconds: TimeInterval) {
        let delay = seconds > 0 ? seconds : 0
        let (action, counted) = mutableState.withLock { state -> (RequestStateMachine.Action, [CountedProgress]) in
            // An attempt after the deadline would fail; the existing error is more informative.
            guard delay < state.deadline?.secondsLeft() ?? .infinity else {
                return (state.machine.decidedToFinish(attempt: attempt), [])
            }
            let action = state.machine.decidedToRetry(attempt: attempt)
            if state.head?.cacheStatus?.isInCache == true { state.makeRare().reloads = true }
            return (action, action == .none ? [] : state.endTask(ofAttempt: attempt, of: self))
        }
        counted.forEach { $0.update(completed: 0, total: nil) }
        guard case .wait(let next) = action else { return act(on: action) }
        // The next attempt may have the same destination.
        downloadedFile?.remove()
        report(.isRetrying)
        if delay > 0 {
            // The session retains the request until its end, which may come first.
            core.rootQueue.asyncAfter(deadline: .now() + delay) { [weak self] in
                self?.perform { $0.machine.waited(attempt: next) }
            }
        } else {
            perform { $0.machine.waited(attempt: next) }
        }
    }

    // MARK: Finishing

    /// Notifies all handlers that the request is over; runs once.
    func finish(cancelsExchange: Bool) {
        let end = mutableState.withLock { $0.complete() }
        if cancelsExchange {
            // A cancellation that waited for the end of the exchange was reported already.
            if !mutableState.withLock({ $0.machine.hasCancelledExchange }) { reportTask { .didCancelTask($0) } }
            end.exchange?.cancel()
            reportTask { .didCompleteTask($0, error) }
        }
        announce(end)
    }

    func announce(_ end: MutableState.End) {
        core.unregister(self)
        stream?.finish()
        if isUpload { removeTemporaryFiles() }
        if end.hasCURLHandlers { notifyCURLHandlers() }
        report(.didFinish)
        end.observer?.didEnd(self)
        guard end.hasHandlers, let outcome else { return }
        // Progress closures run before the end, whichever queues the two use.
        guard let progress = end.progress, progress.wait(timeout: .now()) == .timedOut else {
            return notifyHandlers(of: outcome)
        }
        progress.notify(queue: core.rootQueue) { [self] in notifyHandlers(of: outcome) }
    }

    /// Runs the handlers in the order in which they were added, including those that are added meanwhile.
    private func notifyHandlers(of outcome: RequestOutcome) {
        while let handlers = mutableState.withLock({ $0.nextFinishHandlers() }) {
            handlers.forEach { $0.run(self, outcome) }
        }
    }

    /// Calls a handler once the request is over, on the thread that ends it: the transport's, which must not be
    /// blocked, or the canceller's; immediately if the request is over and the earlier handlers have run.
    package func onFinish(_ handler: @escaping @Sendable (RequestOutcome) -> Void) {
        onFinish { _, outcome in handler(outcome) }
    }

    /// Calls a handler that receives the request, and so need not capture it, once the request is over; on the root queue
    /// if it is over and had progress closures.
    ///
    /// - Parameter isFirst: `true` to run the handler before those added so far.
    func onFinish(isFirst: Bool = false, _ handler: @escaping @Sendable (Request, RequestOutcome) -> Void) {
        let (outcome, progress) = mutableState.withLock { state -> (RequestOutcome?, DispatchGroup?) in
            guard state.isComplete, !state.isNotifying else {
                state.finishHandlers.add(FinishHandler(run: handler), isFirst: isFirst)
                return (nil, nil)
            }
            return (RequestOutcome(of: self, state), state.rare?.progressGroup)
        }
        guard let outcome else { return }
        guard let progress else { return handler(self, outcome) }
        progress.notify(queue: core.rootQueue) { [self] in handler(self, outcome) }
    }

    /// The result of the request; `nil` before its end.
    package var outcome: RequestOutcome? {
        mutableState.withLock { $0.isComplete ? RequestOutcome(of: self, $0) : nil }
    }

    /// Connects the request to a provider's call, before it is started.
    ///
    /// - Parameters:
    ///   - call: Observes the end of the request; notified immediately if the request is over.
    ///   - observes: `true` if the call reads or changes each `URLRequest` after the adapters.
    ///   - acceptable: The accepted status codes; `nil` for all.
    ///   - transport: Performs the request in place of the session's transport.
    package func join(
        _ call: any RequestObserver & RequestEndObserver, observes: Bool, accepting acceptable: StatusCodes?,
        stubbedBy transport: (any Transport & AnyObject)?
    ) {
        let isOver = mutableState.withLock { state in
            if let acceptable { state.validators.append(.statusCode(acceptable)) }
            if let transport { state.transport = transport }
            if observes { state.observer = call }
            state.isPrivate = !observes && interceptors.isEmpty
            if !state.isComplete { state.endObserver = call }
            return state.isComplete
        }
        if isOver { call.didEnd(self) }
    }
}
