import Foundation
import Moya
import MoyaTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct MoyaMiddlewareTests {
    private func provider(
        _ transport: StepwiseTransport = .answering(), middleware: [any MoyaMiddleware], plugins: [any PluginType] = [],
        tracksInflights: Bool = false
    ) -> MoyaProvider<API> {
        MoyaProvider(
            session: Session(transport: transport), middleware: middleware, plugins: plugins,
            trackInflights: tracksInflights)
    }

    @Test func firstMiddlewareOfTheListIsTheOutermost() async throws {
        let events = Recorder<String>()
        let middleware = [ClosureMiddleware.recording("one", in: events), .recording("two", in: events)]
        _ = try await provider(middleware: middleware).request(API())
        #expect(events.values == ["one in", "two in", "two out", "one out"])
    }

    @Test func middlewareChangesTheRequestThatIsSent() async throws {
        let transport = StepwiseTransport.answering()
        let middleware = ClosureMiddleware { call, next throws(MoyaError) in
            var call = call
            call.request.setValue("by a middleware", forHTTPHeaderField: "X-Changed")
            return try await next(call)
        }
        _ = try await provider(transport, middleware: [middleware]).request(API())
        #expect(transport.requests.values.first?.fields.contains { $0.value == "by a middleware" } == true)
    }

    @Test func middlewareAnswersWithoutTheSession() async throws {
        let transport = StepwiseTransport.answering()
        let middleware = ClosureMiddleware { _, _ in Response(statusCode: 299, data: Data()) }
        #expect(try await provider(transport, middleware: [middleware]).request(API()).statusCode == 299)
        #expect(transport.requests.count == 0)
    }

    @Test func middlewareMayFailACall() async {
        let transport = StepwiseTransport.answering()
        let middleware = ClosureMiddleware { _, _ throws(MoyaError) in throw .requestMapping("not today") }
        await #expect(throws: MoyaError.self) { try await provider(transport, middleware: [middleware]).request(API()) }
        #expect(transport.requests.count == 0)
    }

    @Test func innerMiddlewareSeeEachAttemptOfAnOuterOne() async throws {
        let transport = StepwiseTransport.answering()
        let attempts = Recorder<Int>()
        let inner = ClosureMiddleware { call, next throws(MoyaError) in
            attempts.append(call.attempt)
            return try await next(call)
        }
        _ = try await provider(transport, middleware: [ClosureMiddleware.repeating(3), inner]).request(API())
        #expect(attempts.values == [1, 2, 3])
        #expect(transport.requests.count == 3)
    }

    @Test func middlewareChangesTheResult() async throws {
        let middleware = ClosureMiddleware { call, next throws(MoyaError) in
            let response = try await next(call)
            return Response(statusCode: response.statusCode + 1, data: response.data)
        }
        #expect(try await provider(middleware: [middleware]).request(API()).statusCode == 201)
    }

    @Test func middlewareSeesTheTargetInsideAMultiTarget() async throws {
        let seen = Recorder<String>()
        let middleware = ClosureMiddleware { call, next throws(MoyaError) in
            seen.append("\(type(of: call.target))")
            return try await next(call)
        }
        let provider = MoyaProvider<MultiTarget>(
            session: Session(transport: StepwiseTransport.answering()), middleware: [middleware])
        _ = try await provider.request(MultiTarget(MultiTarget(API())))
        #expect(seen.values == ["API"])
    }

    @Test func cancelledTaskReachesTheMiddlewareThatWaits() async throws {
        let clock = TestClock()
        let transport = StepwiseTransport.answering()
        let provider = MoyaProvider<API>(
            session: Session(transport: transport), middleware: [ClosureMiddleware.waiting(.seconds(60))], clock: clock)
        let task = _Concurrency.Task { try await provider.request(API()) }
        try await clock.waitForSleepers(1)
        task.cancel()
        #expect(Result<Response, MoyaError>.of(await task.result)?.isCancelled == true)
        #expect(transport.requests.count == 0)
    }

    @Test func middlewareThatIgnoresItsCancellationStillSendsNothing() async throws {
        let gate = Gate()
        let transport = StepwiseTransport.answering()
        let middleware = ClosureMiddleware { call, next throws(MoyaError) in
            await _Concurrency.Task.detached { try? await gate.wait() }.value
            return try await next(call)
        }
        let provider = provider(transport, middleware: [middleware])
        let task = _Concurrency.Task { try await provider.request(API()) }
        try await gate.waitForArrivals(1)
        task.cancel()
        gate.open()
        #expect(Result<Response, MoyaError>.of(await task.result)?.isCancelled == true)
        #expect(transport.requests.count == 0)
    }

    @Test func requestThatCannotBeMadeReachesNoMiddleware() async {
        let events = Recorder<String>()
        let plugin = RecordingPlugin()
        let provider = MoyaProvider<API>(
            requestClosure: { _, done in done(.failure(.requestMapping("no URL"))) },
            middleware: [ClosureMiddleware.recording("middleware", in: events)], plugins: [plugin])
        await #expect(throws: MoyaError.self) { try await provider.request(API()) }
        #expect(events.values.isEmpty)
        #expect(plugin.events.values == ["process"])
    }

    @Test func requestThatIsNeverMadeIsCancelled() async throws {
        let plugin = RecordingPlugin()
        let asked = Promise<Void>()
        let provider = MoyaProvider<API>(
            requestClosure: { _, _ in asked.fulfill(()) }, middleware: [ClosureMiddleware.waiting(.zero)],
            plugins: [plugin])
        let task = _Concurrency.Task { try await provider.request(API()) }
        try await asked.value
        task.cancel()
        #expect(Result<Response, MoyaError>.of(await task.result)?.isCancelled == true)
        #expect(plugin.events.values == ["didReceive", "process"])
    }

    @Test func aMiddlewareIsTestedAlone() async throws {
        let call = MiddlewareCall(target: API(), request: URLRequest(url: API().baseURL))
        let next = NextMiddleware { call throws(MoyaError) in Response(statusCode: 200 + call.attempt, data: Data()) }
        #expect(try await ClosureMiddleware.repeating(4).intercept(call, next: next).statusCode == 204)
    }

    @Test(arguments: [false, true])
    func streamedBodyCannotBeReplayed(_ isStream: Bool) {
        let part = MultipartFormData(
            provider: isStream ? .stream(InputStream(data: Data()), 0) : .data(Data()), name: "part")
        var target = API()
        target.task = .uploadMultipart([part])
        #expect(MiddlewareCall(target: target, request: URLRequest(url: target.baseURL)).isReplayable == !isStream)
    }
}

extension Result where Success == Response, Failure == MoyaError {
    /// The result of a task that throws only `MoyaError`.
    static func of(_ result: Result<Response, any Error>) -> Self? {
        switch result {
        case .success(let response): .success(response)
        case .failure(let error): (error as? MoyaError).map { .failure($0) }
        }
    }
}
