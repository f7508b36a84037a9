import MoyaTransport

/// Runs the `async` form of an adapter or a retrier for its completion form.
///
/// The task is cancelled when its request ends: cancelled, or past its deadline.
final class InterceptionTask: Sendable {
    private enum State {
        case starting
        case running(Task<Void, Never>)
        case over
    }

    private let state = Lock(State.starting)

    private init() {}

    /// Starts a task that runs an operation and then passes on its result.
    static func run<Value: Sendable>(
        for request: Request?, _ operation: @escaping @Sendable () async -> Value,
        completion: @escaping @Sendable (Value) -> Void
    ) {
        let work = InterceptionTask()
        let task = Task {
            let value = await operation()
            // The request's own end follows, and must not be reported as a cancellation here.
            work.end()
            completion(value)
        }
        guard work.begin(task), let request else { return }
        request.onFinish { _ in work.cancel() }
    }

    /// Sets the task, unless the request has already ended.
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
    /// Stores the result of an operation, or its error.
    init(of operation: () async throws -> Success) async {
        do { self = .success(try await operation()) } catch { self = .failure(error) }
    }
}
