import Foundation
import Synchronization

/// Ends what takes too long, even when it neither ends nor heeds its cancellation.
enum DeadlineRace {
    /// Runs an operation, and ends with an error when it takes longer than the bound.
    ///
    /// - Parameters:
    ///   - bound: How long the operation may take.
    ///   - timeline: Measures it.
    ///   - error: Ends one that takes longer.
    static func run<Success: Sendable>(
        within bound: Duration, by timeline: Timeline, orEndWith error: @escaping @Sendable () -> MoyaError,
        _ operation: @escaping @Sendable () async -> Result<Success, MoyaError>
    ) async -> Result<Success, MoyaError> {
        guard bound > .zero else { return .failure(error()) }
        let finish = FinishLine<Success>()
        // Not a task group: that would wait for the operation, however long it takes.
        let running = _Concurrency.Task { finish.cross(with: await operation()) }
        let timer = _Concurrency.Task {
            guard (try? await timeline.sleep(for: bound)) != nil else { return }
            finish.cross(with: .failure(error()))
            running.cancel()
        }
        defer { timer.cancel() }
        return await withTaskCancellationHandler {
            await finish.result
        } onCancel: {
            running.cancel()
        }
    }
}

/// The first of several ends.
private final class FinishLine<Success: Sendable>: Sendable {
    private enum State {
        case open(UnsafeContinuation<Result<Success, MoyaError>, Never>?)
        case crossed(Result<Success, MoyaError>)
    }

    private let state = Mutex(State.open(nil))

    func cross(with result: Result<Success, MoyaError>) {
        let continuation = state.withLock { state -> UnsafeContinuation<Result<Success, MoyaError>, Never>? in
            guard case .open(let continuation) = state else { return nil }
            state = .crossed(result)
            return continuation
        }
        continuation?.resume(returning: result)
    }

    var result: Result<Success, MoyaError> {
        get async {
            await withUnsafeContinuation { continuation in
                let known = state.withLock { state -> Result<Success, MoyaError>? in
                    if case .crossed(let result) = state { return result }
                    state = .open(continuation)
                    return nil
                }
                if let known { continuation.resume(returning: known) }
            }
        }
    }
}
