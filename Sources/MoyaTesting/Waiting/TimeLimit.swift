import MoyaTransport

/// Runs an operation; if it exceeds the limit, cancels it and throws.
///
/// The limit is for events that never occur; it delays nothing else.
package func withTimeLimit<Result: Sendable>(
    _ limit: Duration,
    orThrow error: @escaping @Sendable () -> TestSupportError,
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

extension Watched {
    /// Waits until the value satisfies a condition, which is called outside the lock, and returns that value; throws if
    /// the limit is exceeded.
    ///
    /// A condition that is already satisfied needs no time, whatever the limit.
    package func when(
        within limit: Duration, orThrow error: @escaping @Sendable () -> TestSupportError,
        _ isFulfilled: @escaping @Sendable (Value) -> Bool
    ) async throws -> Value {
        let value = value
        if isFulfilled(value) { return value }
        return try await withTimeLimit(limit, orThrow: error) { try await self.when(isFulfilled) }
    }
}
