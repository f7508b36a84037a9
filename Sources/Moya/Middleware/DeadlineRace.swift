/// Ends an operation that takes too long, even if it ignores its cancellation.
enum DeadlineRace {
    /// Runs an operation, and throws an error if it exceeds the limit.
    ///
    /// - Parameters:
    ///   - bound: The time limit of the operation.
    ///   - timeline: The clock for the limit.
    ///   - error: The error for an operation that exceeds the limit.
    static func run<Success: Sendable>(
        within bound: Duration, by timeline: Timeline, orEndWith error: @escaping @Sendable () -> MoyaError,
        _ operation: @escaping @Sendable () async -> Result<Success, MoyaError>
    ) async -> Result<Success, MoyaError> {
        guard bound > .zero else { return .failure(error()) }
        let first = OneShot<Result<Success, MoyaError>>()
        // Not a task group, which would wait for the operation however long it takes.
        let running = _Concurrency.Task { first.send(await operation()) }
        let timer = timeline.timer(after: bound) {
            first.send(.failure(error()))
            running.cancel()
        }
        defer { timer?.cancel() }
        guard let result = await first.value else {
            running.cancel()
            return .failure(.cancelled)
        }
        return result
    }
}
