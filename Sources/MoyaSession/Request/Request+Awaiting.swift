package import MoyaTransport
import Synchronization

extension Request {
    /// A task that waits for the end of a request.
    struct Waiter {
        let continuation: UnsafeContinuation<Void, Never>
        let priority: TaskPriority
    }

    /// Starts the request and returns once it is over; cancelling the task cancels the request.
    ///
    /// - Parameters:
    ///   - acceptable: The status codes of the responses to accept; `nil` for all.
    ///   - transport: Carries the request instead of the session's, and has its answer delivered as it comes.
    package func run(accepting acceptable: StatusCodes?, carriedBy transport: (any Transport)?) async {
        await withTaskCancellationHandler {
            let priority = Task.currentPriority
            await withUnsafeContinuation { continuation in
                let isOver = guarded.withLock { guarded in
                    guarded.join(accepting: acceptable, carriedBy: transport)
                    guard !guarded.isConcluded else { return true }
                    guarded.waiter = Waiter(continuation: continuation, priority: priority)
                    return false
                }
                if isOver { continuation.resume() } else { resume() }
            }
        } onCancel: {
            cancel()
        }
    }
}

extension Request: DeferredDelivery {
    /// The priority of the task that waits for the request.
    package var priority: TaskPriority { guarded.withLock { $0.waiter?.priority } ?? .medium }

    /// Resumes the task that waits for the request.
    package func deliver() {
        let waiter = guarded.withLock { $0.waiter.take() }
        waiter?.continuation.resume()
    }
}
