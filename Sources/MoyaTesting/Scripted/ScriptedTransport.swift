public import MoyaTransport

/// A transport without a network, which answers as a test says and keeps the requests.
///
/// ### Use
/// Make one from answers, give it to a session, and look at its exchanges. The same code serves Swift Testing and
/// XCTest.
///
/// ```swift
/// let transport = ScriptedTransport(.response(503), .response(200, ["Content-Type": "application/json"], body: "[]"))
/// let provider = MoyaProvider<API>(session: Session(transport: transport), middleware: [Retry(attempts: 2)])
///
/// let response = try await provider.request(.repositories)
///
/// #expect(response.statusCode == 200)                                     // XCTAssertEqual(response.statusCode, 200)
/// #expect(transport.requests.map(\.method) == ["GET", "GET"])
/// ```
///
/// ### Choice of the answer
/// That of the first rule of ``when(_:answer:)`` that fits; else the next of those that the transport was made with. Of
/// several answers each serves one request, and the last one all that follow. A request that no answer is left for fails
/// with a message that names it, and is among ``unexpectedRequests``.
///
/// ### Tests of time
/// With ``Answer/delayed(by:)`` and a ``TestClock``: nothing waits but on the clock that the transport was given. To hold an
/// answer until the test has seen something else, put ``Step/wait(at:)`` with a ``Gate`` among its steps. Bounds
/// on time are the wire's to watch, and there is none: answer with `.failure(.timeout(.idle))`.
///
/// ### Thread of the events
/// On the one that starts the exchange, before ``start(_:delivering:)`` returns, as far as nothing waits; then on the thread that ends the
/// waiting. A sink that answers `TransportDemand.wait` hears nothing more, but a cancellation, until it resumes.
///
/// An exchange that is still open when the transport is dropped ends as cancelled.
public final class ScriptedTransport: Transport {
    /// `true` if events arrive where user code may run and block, as the transport was made.
    public let deliversWhereCodeMayBlock: Bool

    let record: Watched<ScriptedRecord>
    private let clock: any Clock<Duration>

    /// Makes a transport that gives these answers in order, and the last one to all further requests.
    ///
    /// - Parameters:
    ///   - answers: None for a transport that only has rules.
    ///   - clock: The clock of the delays.
    ///   - deliversWhereCodeMayBlock: `false` to be treated as a wire whose thread nothing may hold up.
    public convenience init(
        _ answers: Answer..., clock: any Clock<Duration> = ContinuousClock(), deliversWhereCodeMayBlock: Bool = true
    ) {
        self.init(answers, clock: clock, deliversWhereCodeMayBlock: deliversWhereCodeMayBlock)
    }

    /// Makes a transport that gives these answers in order, and the last one to all further requests.
    ///
    /// - Parameters:
    ///   - answers: None for a transport that only has rules.
    ///   - clock: The clock of the delays.
    ///   - deliversWhereCodeMayBlock: `false` to be treated as a wire whose thread nothing may hold up.
    public init(
        _ answers: [Answer], clock: any Clock<Duration> = ContinuousClock(), deliversWhereCodeMayBlock: Bool = true
    ) {
        self.deliversWhereCodeMayBlock = deliversWhereCodeMayBlock
        self.clock = clock
        record = Watched(ScriptedRecord(answers: ScriptedAnswers(answers)))
    }

    deinit {
        for player in record.value.players.values { player.cancel(byCaller: false) }
    }

    /// Answers the requests that fit a description, in this order, and the last answer to all further ones of them.
    ///
    /// Rules are tried in the order in which they were made. May be called at any time; counts for later requests.
    ///
    /// ```swift
    /// transport.when({ $0.method == "POST" && $0.url.hasSuffix("/token") }, answer: .response(200, body: token))
    /// ```
    ///
    /// - Returns: The transport, for a further rule.
    @discardableResult
    public func when(
        _ fits: @escaping @Sendable (HTTPRequest) -> Bool, answer answers: Answer...
    ) -> ScriptedTransport {
        record.update { $0.rules.append(ScriptedRule(fits: fits, answers: ScriptedAnswers(answers))) }
        return self
    }

    /// Answers the requests with this method and this path, in this order, and the last answer to all further ones of them.
    ///
    /// - Parameters:
    ///   - method: As it is sent, in capitals.
    ///   - path: As it stands in the URL, percent-encoded; the query does not count.
    ///   - answers: The answers to these requests.
    /// - Returns: The transport, for a further rule.
    @discardableResult
    public func when(_ method: String, _ path: String, answer answers: Answer...) -> ScriptedTransport {
        record.update { record in
            record.rules.append(
                ScriptedRule(
                    fits: { $0.method == method && $0.scriptedPath == path }, answers: ScriptedAnswers(answers)))
        }
        return self
    }

    /// Adds answers after those that the transport was made with.
    ///
    /// The one that was last until now serves one request, as those before it do, unless it has been given already.
    public func append(_ answers: Answer...) {
        record.update { $0.answers.append(answers) }
    }

    /// Keeps the request and plays the answer to it.
    public func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
        let player = ScriptedPlayer(request: request, sink: sink, record: record, clock: clock)
        let choice = record.update { $0.begin(request, player) }
        // The closure runs outside the lock: a closure of the test may look at the exchanges.
        let answer = choice.answer?.resolved(for: request) ?? .unscripted(request)
        player.play(answer, as: choice.number)
        return player
    }
}
