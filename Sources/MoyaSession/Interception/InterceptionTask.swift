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

    /// Starts a task that runs an operation and then passes on its value or its error.
    static func run<Value: Sendable>(
        for request: Request?, _ completion: @escaping @Sendable (Result<Value, any Error>) -> Void,
        _ operation: @escaping @Sendable () async throws -> Value
    ) {
        run(for: request, completion) { () async -> Result<Value, any Error> in
            do { return .success(try await operation()) } catch { return .failure(error) }
        }
    }

    /// Starts a task that runs an operation and then passes on its value.
    static func run<Value: Sendable>(
        for request: Request?, _ completion: @escaping @Sendable (Value) -> Void,
        _ operation: @escaping @Sendable () async -> Value
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
