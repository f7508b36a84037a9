import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The answer of a provider's request closure, which may come at once, later or never.
final class PendingRequest: Sendable {
    typealias Answer = Result<URLRequest, MoyaError>

    private enum State {
        case waiting(UnsafeContinuation<Answer?, Never>?)
        case answered(Answer?)
    }

    private let state = Mutex(State.waiting(nil))

    /// Takes the answer; only the first counts.
    func answer(_ answer: Answer) { settle(answer) }

    /// The answer; `nil` when the task is cancelled first.
    var value: Answer? {
        get async {
            await withTaskCancellationHandler {
                await withUnsafeContinuation { continuation in
                    let known = state.withLock { state -> Answer?? in
                        if case .answered(let answer) = state { return .some(answer) }
                        state = .waiting(continuation)
                        return nil
                    }
                    if let known { continuation.resume(returning: known) }
                }
            } onCancel: {
                settle(nil)
            }
        }
    }

    private func settle(_ answer: Answer?) {
        let continuation = state.withLock { state -> UnsafeContinuation<Answer?, Never>? in
            guard case .waiting(let continuation) = state else { return nil }
            state = .answered(answer)
            return continuation
        }
        continuation?.resume(returning: answer)
    }
}
