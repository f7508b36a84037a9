import MoyaTransport

/// Runs an operation; if it exceeds the limit, cancels it and throws.
///
/// The limit is for events that never occur; it delays nothing else.
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
