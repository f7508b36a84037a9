import Dispatch
import MoyaTransport

/// Calls retriers in order until one decides.
final class RetryChain: Sendable {
    private let retriers: [any RequestRetrier]
    private let request: Request
    private let session: Session
    private let error: any Error
    private let completion: @Sendable (RetryResult) -> Void
    private let awaited = Lock(OneShotCallback<RetryResult>())

    init(
        retriers: [any RequestRetrier], request: Request, session: Session, error: any Error,
        completion: @escaping @Sendable (RetryResult) -> Void
    ) {
        self.retriers = retriers
        self.request = request
        self.session = session
        self.error = error
        self.completion = completion
    }

    func run() { decide(0) }

    private func decide(_ first: Int) {
        var index = first
        // No retrier is called for a request that ended meanwhile.
        while index < retriers.count, !request.isOver {
            let question = awaited.withLock { $0.nextQuestion() }
            retriers[index].retry(request, for: session, dueTo: error) { [self, index] result in
                guard awaited.withLock({ $0.give(result, to: question) }) else { return }
                // Not here: the calling code may hold a lock that its adapter needs for the next attempt.
                session.rootQueue.async { [self] in
                    if case .doNotRetry = result { decide(index + 1) } else { completion(result) }
                }
            }
            guard let result = awaited.withLock({ $0.whenReturned() }) else { return }
            guard case .doNotRetry = result else { return completion(result) }
            index += 1
        }
        completion(.doNotRetry)
    }
}
