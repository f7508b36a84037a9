import Foundation
package import MoyaTransport

/// Ends a request, and notifies those who wait for the end.
extension Request {
    /// Notifies all handlers that the request is over; runs once.
    func finish(cancelsExchange: Bool) {
        let end = mutableState.withLock { $0.complete() }
        if cancelsExchange {
            // A cancellation that waited for the end of the exchange was reported already.
            if !mutableState.withLock({ $0.machine.hasCancelledExchange }) { reportTask { .didCancelTask($0) } }
            end.exchange?.cancel()
            reportTask { .didCompleteTask($0, error) }
        }
        end.announce(of: self)
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

extension MutableState.End {
    /// Notifies those who wait for the end of a request.
    func announce(of request: Request) {
        request.core.unregister(request)
        request.stream?.finish()
        if request.isUpload { request.removeTemporaryFiles() }
        if hasCURLHandlers { request.notifyCURLHandlers() }
        request.report(.didFinish)
        observer?.didEnd(request)
        guard hasHandlers, let outcome = request.outcome else { return }
        // Progress closures run before the end, whichever queues the two use.
        guard let progress, progress.wait(timeout: .now()) == .timedOut else {
            return Self.notifyHandlers(of: request, outcome)
        }
        progress.notify(queue: request.core.rootQueue) { Self.notifyHandlers(of: request, outcome) }
    }

    /// Runs the handlers in the order in which they were added, including those that are added meanwhile.
    private static func notifyHandlers(of request: Request, _ outcome: RequestOutcome) {
        while let handlers = request.mutableState.withLock({ $0.nextFinishHandlers() }) {
            handlers.forEach { $0.run(request, outcome) }
        }
    }
}
