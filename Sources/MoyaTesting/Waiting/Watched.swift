import MoyaTransport

/// A value behind a lock whose changes can be awaited.
package final class Watched<Value: Sendable>: Sendable {
    private struct State {
        var value: Value
        var changes: UInt64 = 0
        var watchers: [UInt64: CheckedContinuation<Void, any Error>] = [:]
        var lastToken: UInt64 = 0
    }

    private let state: Lock<State>

    package init(_ value: Value) {
        state = Lock(State(value: value))
    }

    package var value: Value { state.withLock { $0.value } }

    /// Changes the value and wakes all waiters.
    package func update<Result: Sendable>(_ change: @Sendable (inout Value) -> Result) -> Result {
        let (result, watchers) = state.withLock { state in
            let result = change(&state.value)
            state.changes += 1
            defer { state.watchers = [:] }
            return (result, state.watchers)
        }
        for watcher in watchers.values { watcher.resume() }
        return result
    }

    /// Waits until `attempt` returns a value after a change; it may also change the value.
    ///
    /// - Throws: `CancellationError`, and the errors of `attempt`.
    package func first<Result: Sendable>(_ attempt: @Sendable (inout Value) throws -> Result?) async throws -> Result {
        while true {
            let (result, changes) = try state.withLock { (try attempt(&$0.value), $0.changes) }
            if let result { return result }
            try await change(after: changes)
        }
    }

    /// Waits until the value satisfies a condition, which is called outside the lock, and returns that value.
    ///
    /// - Throws: `CancellationError`
    package func when(_ isFulfilled: @Sendable (Value) -> Bool) async throws -> Value {
        while true {
            let (value, changes) = state.withLock { ($0.value, $0.changes) }
            if isFulfilled(value) { return value }
            try await change(after: changes)
        }
    }

    private func change(after changes: UInt64) async throws {
        let token = state.withLock { state in
            state.lastToken += 1
            return state.lastToken
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let isLate = state.withLock { state in
                    guard state.changes == changes else { return true }
                    state.watchers[token] = continuation
                    return false
                }
                if isLate { continuation.resume() }
                // Cancelled before registration: the waiter has to be resumed here.
                if Task.isCancelled { forget(token) }
            }
        } onCancel: {
            forget(token)
        }
    }

    private func forget(_ token: UInt64) {
        state.withLock { $0.watchers.removeValue(forKey: token) }?.resume(throwing: CancellationError())
    }
}
