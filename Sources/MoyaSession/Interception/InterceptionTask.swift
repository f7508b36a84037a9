import MoyaTransport

/// Runs the `async` form of an adapter or a retrier for its completion form.
///
/// The task is cancelled when its request ends: cancelled, or past its deadline.
enum InterceptionTask {
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
        let isOver = Once()
        let task = Task {
            let value = await operation()
            // The request's own end follows, and must not be reported as a cancellation here.
            _ = isOver.isFirst()
            completion(value)
        }
        request?.onFinish { _ in if isOver.isFirst() { task.cancel() } }
    }
}
