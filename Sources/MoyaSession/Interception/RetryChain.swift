import Synchronization

/// Asks retriers one after another until one wants something.
final class RetryChain: Sendable {
    private let retriers: [any RequestRetrier]
    private let request: Request
    private let session: Session
    private let error: any Error
    private let completion: @Sendable (RetryResult) -> Void
    /// The retrier whose answer is awaited; any other answer is a second one, or late.
    private let awaited = Atomic(0)

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

    private func ask(_ index: Int) {
        // Nobody is asked about a request that ended meanwhile.
        guard index < retriers.count, index == 0 || !request.isOver else { return completion(.doNotRetry) }
        retriers[index].retry(request, for: session, dueTo: error) { [self] result in
            guard awaited.compareExchange(expected: index, desired: index + 1, ordering: .relaxed).exchanged else {
                return
            }
            if case .doNotRetry = result { ask(index + 1) } else { completion(result) }
        }
    }
}
