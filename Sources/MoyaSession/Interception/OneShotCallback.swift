import MoyaTransport

/// A callback that accepts one answer; user code may call it before it returns, later, on another thread, twice, or
/// never.
///
/// Work continues after the user code has returned, not within the callback: an interceptor may call back while it
/// holds a lock, and the continuation may call it again.
final class OneShotCallback<Answer: Sendable>: Sendable {
    private enum State {
        /// The user code has not returned.
        case asking
        case given(Answer)
        /// The user code has returned without an answer.
        case waiting
        case over
    }

    private let state = Lock(State.asking)

    /// Sets the answer; only the first counts.
    ///
    /// - Returns: `true` if this caller has to continue, because the user code has already returned.
    func give(_ answer: Answer) -> Bool {
        state.withLock { state in
            switch state {
            case .asking:
                state = .given(answer)
                return false
            case .waiting:
                state = .over
                return true
            case .given, .over: return false
            }
        }
    }

    /// The answer, if there was one before the code returned; otherwise its caller continues.
    func whenReturned() -> Answer? {
        state.withLock { state in
            guard case .given(let answer) = state else {
                state = .waiting
                return nil
            }
            state = .over
            return answer
        }
    }
}
