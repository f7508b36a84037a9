import MoyaTransport

/// A value that is sent once and awaited once; only the first send counts.
final class OneShot<Value: Sendable>: Sendable {
    private enum State {
        case waiting(UnsafeContinuation<Value?, Never>?)
        case sent(Value?)
    }

    private let state = Lock(State.waiting(nil))

    func send(_ value: Value) { settle(value) }

    /// The value; `nil` if the task is cancelled first.
    var value: Value? {
        get async {
            // Sent before it is awaited, as by nearly every request closure.
            if case .sent(let value) = state.withLock({ $0 }) { return value }
            return await withTaskCancellationHandler {
                await withUnsafeContinuation { continuation in
                    let known = state.withLock { state -> Value?? in
                        if case .sent(let value) = state { return .some(value) }
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

    private func settle(_ value: Value?) {
        let continuation = state.withLock { state -> UnsafeContinuation<Value?, Never>? in
            guard case .waiting(let continuation) = state else { return nil }
            state = .sent(value)
            return continuation
        }
        continuation?.resume(returning: value)
    }
}
