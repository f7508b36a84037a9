import Synchronization

/// The one answer to a question that code of the user's is asked: it may come before that code returns, later, from
/// another thread, twice, or never.
///
/// Whoever asked goes on when the code has returned, not within the call that gave the answer: an interceptor may answer
/// while it holds a lock of its own, and be asked again by what follows.
final class AwaitedAnswer<Answer: Sendable>: Sendable {
    private enum State {
        /// The code that was asked has not returned.
        case asking
        case given(Answer)
        /// It has returned without an answer.
        case waiting
        case over
    }

    private let state = Mutex(State.asking)

    /// Gives the answer; only the first counts.
    ///
    /// - Returns: Whether the giver has to see to what follows, since whoever asked has left.
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
