import MoyaTransport

/// Answers of which each serves one request, and the last one all that follow.
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

/// Answers for the requests that fit a description.
struct ScriptedRule: Sendable {
    let fits: @Sendable (HTTPRequest) -> Bool
    var answers: ScriptedAnswers
}

/// Everything that a scripted transport remembers, so that it changes as one.
struct ScriptedRecord: Sendable {
    var answers: ScriptedAnswers
    var rules: [ScriptedRule] = []
    var exchanges: [ScriptedTransport.Exchange] = []
    var unexpected: [HTTPRequest] = []
    /// The exchanges under way, held only here, by their place among all.
    var players: [Int: ScriptedPlayer] = [:]

    init(answers: ScriptedAnswers) { self.answers = answers }

    /// Notes a request, and chooses the answer to it.
    mutating func begin(
        _ request: HTTPRequest, _ player: ScriptedPlayer
    ) -> (number: Int, answer: ScriptedTransport.Answer?) {
        let number = exchanges.count
        exchanges.append(ScriptedTransport.Exchange(request: request))
        players[number] = player
        // An empty rule answers nothing: such a request is unexpected too.
        let answer =
            if let rule = rules.firstIndex(where: { $0.fits(request) }) {
                rules[rule].answers.take()
            } else {
                answers.take()
            }
        if answer == nil { unexpected.append(request) }
        return (number, answer)
    }
}
