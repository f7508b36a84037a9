import MoyaSession

/// A scheduled action that can be cancelled.
enum CallTimer: Sendable {
    case entry(DeadlineTimer.Entry)
    /// A task that sleeps on a user's clock.
    case task(_Concurrency.Task<Void, Never>)

    func cancel() {
        switch self {
        case .entry(let entry): DeadlineTimer.shared.remove(entry)
        case .task(let task): task.cancel()
        }
    }
}
