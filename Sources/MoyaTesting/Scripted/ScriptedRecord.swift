import MoyaTransport

/// A queue of answers, one per request; the last one repeats.
struct ScriptedAnswers: Sendable {
    private var answers: [ScriptedTransport.Answer]
    private var next = 0

    init(_ answers: [ScriptedTransport.Answer]) { self.answers = answers }

    mutating func append(_ more: [ScriptedTransport.Answer]) { answers += more }

    mutating func take() -> ScriptedTransport.Answer? {
        guard let last = answers.last else { return nil }
        guard next < answers.count else { return last }
        defer { next += 1 }
        return answers[next]
    }
}

/// Answers for the requests that match a predicate.
struct ScriptedRule: Sendable {
    let fits: @Sendable (HTTPRequest) -> Bool
    var answers: ScriptedAnswers
}

/// The whole record of a scripted transport, in one value that changes atomically.
struct ScriptedRecord: Sendable {
    var answers: ScriptedAnswers
    var rules: [ScriptedRule] = []
    var exchanges: [ScriptedTransport.Exchange] = []
    var unexpected: [HTTPRequest] = []
    /// The exchanges in flight by number, retained only here.
    var players: [Int: ScriptedPlayer] = [:]

    init(answers: ScriptedAnswers) { self.answers = answers }

    /// Records a request and takes its answer; returns the number of the exchange, and the answer if there is one.
    ///
    /// - Parameter rule: The index of the rule that matches the request; `nil` if none does.
    mutating func add(
        _ request: HTTPRequest, answeredBy rule: Int?
    ) -> (number: Int, answer: ScriptedTransport.Answer?) {
        exchanges.append(ScriptedTransport.Exchange(request: request))
        // A rule without answers answers nothing: such a request is unexpected too.
        let answer = if let rule { rules[rule].answers.take() } else { answers.take() }
        if answer == nil { unexpected.append(request) }
        return (exchanges.count - 1, answer)
    }
}
