import Foundation
import MoyaTransport

/// The decision after an attempt: repeats or finishes its request.
struct RetryDecision: Sendable {
    private let request: Request
    private let attempt: Int
    private let session: Session
    private let error: SessionError

    /// The number of attempts after which decisions are made on the session's queue.
    private static let mostInline = 16

    /// Calls the retriers of a request, if the attempt can be retried.
    static func make(after attempt: Int, of request: Request) {
        let hasRetriers = !request.interceptors.isEmpty && !request.isStreaming
        if let end = request.mutableState.withLock({ $0.finish(attempt, hasRetriers: hasRetriers) }) {
            return end.announce(of: request)
        }
        guard hasRetriers, let error = request.mutableState.withLock({ $0.error }), let session = request.core.session
        else {
            return request.perform { $0.machine.decidedToFinish(attempt: attempt) }
        }
        let decision = RetryDecision(request: request, attempt: attempt, session: session, error: error)
        // The queue may be busy, and a retrier may block.
        request.watchDeadline(in: .deciding, of: attempt)
        // Attempts that end where they start would otherwise recurse without end.
        guard !request.deliversInline || attempt >= mostInline else { return decision.callRetriers() }
        session.rootQueue.async { decision.callRetriers() }
    }

    private func callRetriers() {
        guard !request.isOver else { return }
        RetryChain(
            retriers: request.interceptors, request: request, session: session, error: error, completion: apply
        ).run()
    }

    private func apply(_ result: RetryResult) {
        switch result {
        case .retry: retry(after: 0)
        case .retryWithDelay(let seconds): retry(after: seconds)
        case .doNotRetry: request.perform { $0.machine.decidedToFinish(attempt: attempt) }
        case .doNotRetryWithError(let retryError):
            request.perform { state in
                let action = state.machine.decidedToFinish(attempt: attempt)
                // A request that is already over keeps its error.
                if action != .none {
                    state.error = .requestRetryFailed(retryError: retryError, originalError: error)
                }
                return action
            }
        }
    }

    private func retry(after seconds: TimeInterval) {
        let delay = seconds > 0 ? seconds : 0
        let (action, counted) = request.mutableState.withLock {
            state -> (RequestStateMachine.Action, [CountedProgress]) in
            // An attempt after the deadline would fail; the existing error is more informative.
            guard state.deadline.map({ !$0.isOver() && delay < $0.secondsLeft() }) ?? true else {
                return (state.machine.decidedToFinish(attempt: attempt), [])
            }
            let action = state.machine.decidedToRetry(attempt: attempt)
            if state.head?.cacheStatus?.isInCache == true { state.makeRare().reloads = true }
            return (action, action == .none ? [] : state.endTask(ofAttempt: attempt, of: request))
        }
        counted.forEach { $0.update(completed: 0, total: nil) }
        guard case .wait(let next) = action else { return request.act(on: action) }
        // The next attempt may have the same destination.
        request.downloadedFile?.remove()
        request.report(.isRetrying)
        guard delay > 0 else { return request.perform { $0.machine.waited(attempt: next) } }
        // The session retains the request until its end, which may come first. The queue may be busy.
        request.watchDeadline(in: .waiting, of: next)
        session.rootQueue.asyncAfter(deadline: .now() + delay) { [weak request] in
            request?.perform { $0.machine.waited(attempt: next) }
        }
    }
}
