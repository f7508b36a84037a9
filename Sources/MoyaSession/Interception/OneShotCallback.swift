/// The answers to one question after another, of which only the first to each counts; user code may give one before it
/// returns, later, on another thread, twice, or never.
///
/// Work continues after the user code has returned, not within its call: an interceptor may answer while it holds a
/// lock, and the continuation may call it again.
struct OneShotCallback<Answer: Sendable>: Sendable {
    private enum State {
        /// The user code has not returned.
        case calling
        case given(Answer)
        /// The user code has returned without an answer.
        case waiting
        case over
    }

    private var state = State.over
    private var question = 0

    /// Starts the next question; returns its number, for its answers.
    mutating func nextQuestion() -> Int {
        state = .calling
        question += 1
        return question
    }

    /// Sets the answer to a question; only the first counts.
    ///
    /// - Returns: `true` if this caller has to continue, because the user code has already returned.
    mutating func give(_ answer: Answer, to question: Int) -> Bool {
        guard question == self.question else { return false }
        switch state {
        case .calling:
            state = .given(answer)
            return false
        case .waiting:
            state = .over
            return true
        case .given, .over: return false
        }
    }

    /// The answer, if there was one before the code returned; otherwise its caller continues.
    mutating func whenReturned() -> Answer? {
        guard case .given(let answer) = state else {
            state = .waiting
            return nil
        }
        state = .over
        return answer
    }
}
