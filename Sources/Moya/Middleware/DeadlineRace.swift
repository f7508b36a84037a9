/// Ends what takes too long, even when it neither ends nor heeds its cancellation.
enum DeadlineRace {
    /// Runs an operation, and ends with an error when it takes longer than the bound.
    ///
    /// - Parameters:
    ///   - bound: The time limit of the operation.
    ///   - timeline: Measures it.
    ///   - error: Ends one that takes longer.
    static func run<Success: Sendable>(
        within bound: Duration, by timeline: Timeline, orEndWith error: @escaping @Sendable () -> MoyaError,
        _ operation: @escaping @Sendable () async -> Result<Success, MoyaError>
    ) async -> Result<Success, MoyaError> {
        guard bound > .zero else { return .failure(error()) }
        let first = OneShot<Result<Success, MoyaError>>()
        // Not a task group: that would wait for the operation, however long it takes.
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
