import MoyaTransport

/// Runs an operation, and cancels it and throws instead when it takes longer than the limit.
///
/// A bound for events that never come, not a way to wait: nothing takes longer because of it.
package func withTimeLimit<Result: Sendable>(
    _ limit: Duration,
    orThrow error: @escaping @Sendable () -> LoopbackError,
    _ operation: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try await withThrowingTaskGroup(of: Result.self) { group in
        group.addTask(operation: operation)
        group.addTask {
            try await Task.sleep(for: limit.clamped)
            throw error()
        }
        defer { group.cancelAll() }
        guard let result = try await group.next() else { throw CancellationError() }
        return result
    }
}
