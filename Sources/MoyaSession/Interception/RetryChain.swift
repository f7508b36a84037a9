import Dispatch

/// Asks retriers one after another until one wants something.
final class RetryChain: Sendable {
    private let retriers: [any RequestRetrier]
    private let request: Request
    private let session: Session
    private let error: any Error
    private let completion: @Sendable (RetryResult) -> Void

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

    func run() { ask(0) }

    private func ask(_ first: Int) {
        var index = first
        // Nobody is asked about a request that ended meanwhile.
        while index < retriers.count, index == 0 || !request.isOver {
            let awaited = AwaitedAnswer<RetryResult>()
            retriers[index].retry(request, for: session, dueTo: error) { [self, index] result in
                guard awaited.give(result) else { return }
                // Not here: whoever answers may hold a lock that its adapter wants for the next attempt.
                session.rootQueue.async { [self] in
                    if case .doNotRetry = result { ask(index + 1) } else { completion(result) }
                }
            }
            guard let result = awaited.whenReturned() else { return }
            guard case .doNotRetry = result else { return completion(result) }
            index += 1
        }
        completion(.doNotRetry)
    }
}
