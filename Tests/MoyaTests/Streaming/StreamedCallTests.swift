import Foundation
import Moya
import MoyaSession
import MoyaTesting
import MoyaTransport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A stream passes all that other calls pass.
@Suite struct StreamedCallTests {
    private func lines(
        _ provider: MoyaProvider<AnyTarget>, _ target: AnyTarget
    ) async -> (lines: [String], error: MoyaError?) {
        var lines: [String] = []
        do throws(MoyaError) {
            for try await line in provider.lines(of: target) { lines.append(line) }
            return (lines, nil)
        } catch {
            return (lines, error)
        }
    }

    // MARK: Validation

    @Test func aStatusOutsideTheRangeIsAnErrorWithItsBody() async throws {
        let server = try await LoopbackServer { try await $0.respond(503, body: "overloaded") }
        let (_, error) = await lines(MoyaProvider(), AnyTarget(baseURL: server.url))
        guard case .statusCode(let response)? = error else {
            Issue.record("no statusCode: \(String(describing: error))")
            return
        }
        #expect(response.statusCode == 503)
        #expect(response.data == Data("overloaded".utf8))
    }

    @Test func keepsAtMostAMebibyteOfARefusedBody() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 500, ["Content-Length": "100000000"])
            while true { try await exchange.send([UInt8](repeating: 0x61, count: 100_000)) }
        }
        let (_, error) = await lines(MoyaProvider(), AnyTarget(baseURL: server.url))
        guard case .statusCode(let response)? = error else {
            Issue.record("no statusCode: \(String(describing: error))")
            return
        }
        #expect(response.data.count == 1 << 20)
    }

    /// A plugin's error, as an app may keep it.
    private struct RefusingPlugin: PluginType {
        func process(
            _ result: Result<Response, MoyaError>, target: any TargetType
        ) -> Result<Response, MoyaError> {
            result.flatMap { .failure(.underlying(URLError(.dataNotAllowed), $0)) }
        }
    }

    @Test(.timeLimit(.minutes(1)), arguments: [ValidationType.none, .successCodes])
    func anErrorMadeOfAStreamHoldsNoConnection(_ validationType: ValidationType) async throws {
        let server = try await LoopbackServer { exchange in
            guard exchange.request.path == "/endless" else { return try await exchange.respond(body: "next") }
            try await exchange.send(head: 200, ["Content-Length": "100000000"])
            while true { try await exchange.send([UInt8](repeating: 0x61, count: 100_000)) }
        }
        let session = Session(
            startRequestsImmediately: false,
            transportConfiguration: TransportConfiguration(maximumConnectionsPerHost: 1, proxy: .none))
        let refusing = MoyaProvider<AnyTarget>(session: session, plugins: [RefusingPlugin()])
        let target = AnyTarget(baseURL: server.url, path: "/endless", validationType: validationType)
        let kept = await lines(refusing, target).error
        #expect(
            try await MoyaProvider(session: session).request(AnyTarget(baseURL: server.url)).data == Data("next".utf8))
        withExtendedLifetime(kept) {}
    }

    @Test(.timeLimit(.minutes(1))) func aRefusedBodyHoldsNoConnectionDuringTheNextAttempt() async throws {
        let server = try await LoopbackServer { exchange in
            guard exchange.request.fields["Authorization"] == "Bearer old" else {
                return try await exchange.respond(body: "a")
            }
            try await exchange.send(head: 401, ["Content-Length": "100000000"])
            while true { try await exchange.send([UInt8](repeating: 0x61, count: 100_000)) }
        }
        let refresh = SessionRefresh(tokens: InMemoryTokenStore(OAuthTokens(accessToken: "old", refreshToken: "r"))) {
            _ in
            OAuthTokens(accessToken: "new")
        }
        let provider = MoyaProvider<AnyTarget>(
            session: Session(
                startRequestsImmediately: false,
                transportConfiguration: TransportConfiguration(maximumConnectionsPerHost: 1, proxy: .none)),
            middleware: [refresh])
        let target = AnyTarget(baseURL: server.url, validationType: .customCodes([]))
        #expect(await lines(provider, target).lines == ["a"])
    }

    @Test func aValidationTypeJudgesTheHead() async throws {
        let server = try await LoopbackServer { try await $0.respond(404, body: "a") }
        var target = AnyTarget(baseURL: server.url, validationType: .customCodes([404]))
        #expect(await lines(MoyaProvider(), target).lines == ["a"])
        target.validationType = .successCodes
        let error = await lines(MoyaProvider(), target).error
        #expect(error?.sessionError?.responseCode == 404)
        #expect(error?.response?.data == Data("a".utf8))
    }

    @Test func anEmptyListOfStatusCodesStreamsTheWholeBodyOfEveryStatus() async throws {
        let count = 1 << 21
        let server = try await LoopbackServer { exchange in
            try await exchange.respond(503, body: Data(repeating: 0x61, count: count))
        }
        let target = AnyTarget(baseURL: server.url, validationType: .customCodes([]))
        let (lines, error) = await lines(MoyaProvider(), target)
        #expect(lines.map(\.utf8.count) == [count])
        #expect(error == nil)
    }

    // MARK: Middleware, retriers and plugins

    @Test func middlewareSeesTheHeadWithoutABody() async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Content-Length": "2"])
            try await gate.wait()
            try await exchange.send("a\n")
        }
        let seen = Recorder<Int>()
        let middleware = ClosureMiddleware { call, next throws(MoyaError) in
            let response = try await next(call)
            seen.append(response.data.count)
            gate.open()
            return response
        }
        let provider = MoyaProvider<AnyTarget>(middleware: [middleware])
        #expect(await lines(provider, AnyTarget(baseURL: server.url)).lines == ["a"])
        #expect(seen.values == [0])
    }

    @Test func aRefusedHeadIsRetried() async throws {
        let count = Lock(0)
        let server = try await LoopbackServer { exchange in
            guard
                count.withLock({
                    $0 += 1; return $0
                }) == 3
            else { return try await exchange.respond(503, body: "x") }
            try await exchange.respond(body: "a\nb\n")
        }
        let provider = MoyaProvider<AnyTarget>(middleware: [RetryMiddleware(attempts: 3, backoff: .none)])
        #expect(await lines(provider, AnyTarget(baseURL: server.url)).lines == ["a", "b"])
        #expect(server.requestCount == 3)
    }

    @Test func aStreamIsNotRetriedAfterItsHead() async throws {
        let retriers = Recorder<Void>()
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Content-Length": "100"])
            try await exchange.send("a\n")
            exchange.close()
        }
        let retrier = Interceptor(
            adapters: [],
            retriers: [
                Retrier { _, _, _, completion in
                    retriers.append(())
                    completion(.retry)
                }
            ])
        let provider = MoyaProvider<AnyTarget>(
            session: Session(interceptor: retrier), middleware: [RetryMiddleware(attempts: 3, backoff: .none)])
        let (lines, error) = await lines(provider, AnyTarget(baseURL: server.url))
        #expect(lines == ["a"])
        #expect(error?.wireKind == .truncated)
        #expect(server.requestCount == 1)
        #expect(retriers.count == 0)
    }

    @Test func aHeadThatIsDroppedForAnotherAttemptEndsItsExchange() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Transfer-Encoding": "chunked"])
            try await exchange.sendChunk("\(exchange.request.path)\n")
            try await exchange.stallUntilClosed()
        }
        let provider = MoyaProvider<AnyTarget>(middleware: [ClosureMiddleware.repeating(3)])
        var lines = provider.lines(of: AnyTarget(baseURL: server.url)).makeAsyncIterator()
        #expect(try await lines.next() == "/")
        try await server.waitUntil { $0.handledCount == 2 && $0.requestCount == 3 }
    }

    @Test func aResponseMadeByAMiddlewareIsStreamed() async {
        let middleware = ClosureMiddleware { _, _ in Response(statusCode: 200, data: Data("a\nb".utf8)) }
        let provider = MoyaProvider<AnyTarget>(middleware: [middleware])
        let target = AnyTarget(baseURL: URL(fileURLWithPath: "/"))
        #expect(await lines(provider, target).lines == ["a", "b"])
    }

    @Test func pluginsSeeTheHead() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "a") }
        let events = Recorder<String>()
        let plugin = RecordingPlugin(
            events: events, onReceive: { events.append("\((try? $0.get())?.data.count ?? -1)") })
        let provider = MoyaProvider<AnyTarget>(plugins: [plugin])
        #expect(await lines(provider, AnyTarget(baseURL: server.url)).lines == ["a"])
        #expect(events.values == ["prepare", "willSend", "didReceive", "0", "process"])
    }

    @Test func aPluginThatMakesAnotherResponseLeavesTheBody() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "a") }
        let plugin = RecordingPlugin(onProcess: { result in
            result.map { Response(statusCode: 299, data: $0.data, request: $0.request, response: $0.response) }
        })
        let provider = MoyaProvider<AnyTarget>(plugins: [plugin])
        let response = try await provider.stream(AnyTarget(baseURL: server.url))
        #expect(response.statusCode == 299)
        var bytes = Data()
        for try await chunk in response.bytes { bytes += chunk }
        #expect(bytes == Data("a".utf8))
    }

    /// Keeps the first response, as no middleware should.
    private actor Keeper: MoyaMiddleware {
        private var kept: Response?

        func intercept(_ call: MiddlewareCall, next: NextMiddleware) async throws(MoyaError) -> Response {
            #expect(call.isStreamed)
            if let kept { return kept }
            let response = try await next(call)
            kept = response
            return response
        }
    }

    @Test func aStreamThatAMiddlewareHasKeptIsReadOnce() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "a") }
        let provider = MoyaProvider<AnyTarget>(middleware: [Keeper()])
        #expect(await lines(provider, AnyTarget(baseURL: server.url)).lines == ["a"])
        let second = await lines(provider, AnyTarget(baseURL: server.url))
        guard case .underlying(ResponseStreamError.alreadyIterated, _)? = second.error else {
            Issue.record("\(second)")
            return
        }
    }

    @Test func cancellingBeforeTheFirstReadEndsTheExchange() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Content-Length": "10"])
            try await exchange.stallUntilClosed()
        }
        let provider = MoyaProvider<AnyTarget>()
        let response = try await provider.stream(AnyTarget(baseURL: server.url))
        let reader = _Concurrency.Task {
            withUnsafeCurrentTask { $0?.cancel() }
            for try await _ in response.bytes {}
        }
        _ = await reader.result
        try await server.waitUntil { $0.handledCount == 1 }
        withExtendedLifetime(response) {}
    }

    @Test func aValidatorOfTheUsersRunsAtTheHead() async throws {
        final class CheckedSession: Session, @unchecked Sendable {
            let seen = Recorder<Int?>()
            override func request(
                _ convertible: any URLRequestConvertible, interceptor: (any RequestInterceptor)? = nil
            ) -> DataRequest {
                let seen = seen
                return super.request(convertible, interceptor: interceptor).validate { _, _, data in
                    seen.append(data?.count)
                    return .success(())
                }
            }
        }
        let server = try await LoopbackServer { try await $0.respond(body: "a") }
        let session = CheckedSession()
        #expect(await lines(MoyaProvider(session: session), AnyTarget(baseURL: server.url)).lines == ["a"])
        #expect(session.seen.values == [nil])
    }

    // MARK: The session

    @Test func theEndOfTheSessionIsTheErrorOfItsStreams() async throws {
        let (transport, exchanges) = StepwiseTransport.waiting()
        let session = Session(transport: transport)
        let provider = MoyaProvider<AnyTarget>(session: session)
        let task = _Concurrency.Task { try await provider.stream(AnyTarget(baseURL: URL(string: "http://a.test")!)) }
        var iterator = exchanges.makeAsyncIterator()
        try #require(await iterator.next()).head()
        var bytes = try await task.value.bytes.makeAsyncIterator()
        session.invalidateAndCancel()
        let error = await #expect(throws: MoyaError.self) { _ = try await bytes.next() }
        #expect(error?.sessionError?.isSessionInvalidatedError == true)
    }

    // MARK: Stubs

    @Test(arguments: [StubBehavior.immediate, .delayed(seconds: 0.01)])
    func sampleDataStreams(behavior: StubBehavior) async {
        let provider = MoyaProvider<AnyTarget>(stubClosure: { _ in behavior })
        let target = AnyTarget(baseURL: URL(fileURLWithPath: "/"), sampleData: Data("a\nb\n".utf8))
        #expect(await lines(provider, target).lines == ["a", "b"])
    }

    // MARK: Deadlines

    @Test func theTotalDeadlineEndsWithTheHead() async throws {
        let clock = TestClock()
        let (transport, exchanges) = StepwiseTransport.waiting()
        let provider = MoyaProvider<AnyTarget>(
            session: Session(transport: transport), deadlines: Deadlines(idle: .seconds(7), total: .seconds(60)),
            clock: clock)
        let task = _Concurrency.Task { try await provider.stream(AnyTarget(baseURL: URL(string: "http://a.test")!)) }
        var iterator = exchanges.makeAsyncIterator()
        let exchange = try #require(await iterator.next())
        #expect(transport.requests.values.first?.timeouts.total == nil)
        #expect(transport.requests.values.first?.timeouts.idle == 7)
        exchange.head()
        let stream = try await task.value
        clock.advance(by: .seconds(61))
        exchange.chunk(Data("late".utf8))
        exchange.end()
        var bytes = stream.bytes.makeAsyncIterator()
        #expect(try await bytes.next() == Data("late".utf8))
        #expect(try await bytes.next() == nil)
    }

    @Test func aMissingHeadExceedsTheTotalDeadline() async throws {
        let clock = TestClock()
        let provider = MoyaProvider<AnyTarget>(
            session: Session(transport: StepwiseTransport.waiting().transport),
            deadlines: Deadlines(total: .seconds(60)), clock: clock)
        let task = _Concurrency.Task { try await provider.stream(AnyTarget(baseURL: URL(string: "http://a.test")!)) }
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(60))
        #expect(await #expect(throws: MoyaError.self) { try await task.value }?.isTimeout == true)
    }

    @Test func aMissingHeadExceedsTheSessionsDeadlines() async throws {
        let server = try await LoopbackServer { try await $0.stallUntilClosed() }
        for deadlines in [Deadlines(attempt: .milliseconds(20)), Deadlines(total: .milliseconds(20))] {
            let provider = MoyaProvider<AnyTarget>(session: Session(timeouts: deadlines))
            #expect(await lines(provider, AnyTarget(baseURL: server.url)).error?.isTimeout == true)
        }
    }
}
