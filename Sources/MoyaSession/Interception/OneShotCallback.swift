import MoyaTransport

/// A callback that user code may call once: before the code returns, later, from another thread, twice, or never.
///
/// The caller goes on when the user code has returned, rather than within the callback: an interceptor may call back
/// while it holds a lock, and be called again by what follows.
final class OneShotCallback<Answer: Sendable>: Sendable {
    private enum State {
        /// The user code has not returned.
        case asking
        case given(Answer)
        /// It has returned without an answer.
        case waiting
        case over
    }

    private let state = Lock(State.asking)

    /// Gives the answer; only the first counts.
    ///
    /// - Returns: `true` if the caller of the callback has to continue, because the caller of the user code has left.
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

    /// The answer, if there was one before the code returned; else it is left to its giver.
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
