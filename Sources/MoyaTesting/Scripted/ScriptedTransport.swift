public import MoyaTransport

/// A transport without a network, which returns scripted answers and records the requests.
///
/// ### Use
/// Make one from answers, pass it to a session, and inspect its exchanges. The same code works with Swift Testing and
/// XCTest.
///
/// ```swift
/// let transport = ScriptedTransport(.response(503), .response(200, ["Content-Type": "application/json"], body: "[]"))
/// let session = Session(configuration: .isolated, transport: transport)
/// let provider = MoyaProvider<API>(session: session, middleware: [RetryMiddleware(attempts: 2)])
///
/// let response = try await provider.request(.repositories)
///
/// #expect(response.statusCode == 200)                                     // XCTAssertEqual(response.statusCode, 200)
/// #expect(transport.requests.map(\.method) == ["GET", "GET"])
/// ```
///
/// ### Choice of the answer
/// The first matching rule of ``when(_:answer:)`` applies; otherwise the next answer from the initializer. Each answer
/// serves one request, and the last one repeats. A request without an answer fails with a message that names it, and is
/// added to ``unexpectedRequests``.
///
/// ### Tests of time
/// Use ``Answer/delayed(by:)`` with a ``TestClock``: all waits use the transport's clock. To hold an answer until the
/// test has observed another event, add ``Step/wait(at:)`` with a ``Gate`` to its steps. Only network transports
/// enforce time limits: to simulate one, answer with `.failure(.timeout(.idle))`.
///
/// ### Thread of the events
/// Events arrive on the thread that starts the exchange, before ``start(_:delivering:)`` returns, until the answer
/// waits; then on the thread that ends the wait. A sink that returns `TransportDemand.wait` receives only a
/// cancellation until it resumes.
///
/// An exchange that is still open when the transport is released ends as cancelled.
public final class ScriptedTransport: Transport {
    /// `true` if events arrive where user code may run and block, as set in the initializer.
    public let deliversWhereCodeMayBlock: Bool

    let record: Watched<ScriptedRecord>
    private let clock: any Clock<Duration>

    /// Makes a transport that returns these answers in order; the last one repeats.
    ///
    /// - Parameters:
    ///   - answers: The answers; none for a transport with only rules.
    ///   - clock: The clock of the delays.
    ///   - deliversWhereCodeMayBlock: `false` to simulate a transport whose thread must not be blocked.
    public convenience init(
        _ answers: Answer..., clock: any Clock<Duration> = ContinuousClock(), deliversWhereCodeMayBlock: Bool = true
    ) {
        self.init(answers, clock: clock, deliversWhereCodeMayBlock: deliversWhereCodeMayBlock)
    }

    /// Makes a transport that returns these answers in order; the last one repeats.
    ///
    /// - Parameters:
    ///   - answers: The answers; none for a transport with only rules.
    ///   - clock: The clock of the delays.
    ///   - deliversWhereCodeMayBlock: `false` to simulate a transport whose thread must not be blocked.
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

    /// Answers the matching requests with these answers in order; the last one repeats.
    ///
    /// Rules are tried in the order in which they were added, before the request is recorded. Can be called at any time;
    /// applies to later requests.
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

    /// Answers the requests with this method and path with these answers in order; the last one repeats.
    ///
    /// - Parameters:
    ///   - method: The method as sent, in capitals.
    ///   - path: The path as in the URL, percent-encoded; the query is ignored.
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

    /// Adds answers after those of the initializer.
    ///
    /// The previously last answer then serves one request, like those before it, unless it was already used.
    public func append(_ answers: Answer...) {
        record.update { $0.answers.append(answers) }
    }

    /// Records the request and plays its answer.
    public func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
        // Predicates and closures run outside the lock, since they may read the exchanges. Rules are only appended, so
        // the index stays valid.
        let rule = record.value.rules.firstIndex { $0.fits(request) }
        let (number, answer) = record.update { $0.add(request, answeredBy: rule) }
        let player = ScriptedPlayer(
            answer?.resolved(for: request) ?? .unscripted(request), number: number, request: request, sink: sink,
            record: record, clock: clock)
        record.update { $0.players[number] = player }
        player.run()
        return player
    }
}
