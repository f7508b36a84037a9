import MoyaTransport

/// Runs the `async` form of an adapter or a retrier for those who want its completion form.
///
/// The task is cancelled when the request that it works for is over: cancelled, or out of time.
final class InterceptionTask: Sendable {
    private enum State {
        case starting
        case running(Task<Void, Never>)
        case over
    }

    private let state = Lock(State.starting)

    private init() {}

    /// Starts a task that runs an operation and then hands over what it gave.
    static func run<Value: Sendable>(
        for request: Request?, _ operation: @escaping @Sendable () async -> Value,
        completion: @escaping @Sendable (Value) -> Void
    ) {
        let work = InterceptionTask()
        let task = Task {
            let value = await operation()
            // The request's own end follows; it must not be reported as a cancellation there.
            work.end()
            completion(value)
        }
        guard work.begin(task), let request else { return }
        request.onFinish { _ in work.cancel() }
    }

    /// Takes the task, unless it is over already.
    private func begin(_ task: Task<Void, Never>) -> Bool {
        state.withLock { state in
            guard case .starting = state else { return false }
            state = .running(task)
            return true
        }
    }

    private func end() { state.withLock { $0 = .over } }

    private func cancel() {
        let task: Task<Void, Never>? = state.withLock { state in
            defer { state = .over }
            return if case .running(let task) = state { task } else { nil }
        }
        task?.cancel()
    }
}

extension Result where Failure == any Error {
    /// Stores the result of an operation, or the error that it throws.
    init(of operation: () async throws -> Success) async {
        do { self = .success(try await operation()) } catch { self = .failure(error) }
    }
}
