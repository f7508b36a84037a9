import Foundation
import Moya
import MoyaSession
import MoyaTesting
import MoyaTransport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct CallDeadlinesTests {
    private struct Slow: TargetType {
        var deadlines: Deadlines?

        var baseURL: URL { URL(string: "https://example.com")! }
        var path: String { "" }
        var method: Moya.Method { .get }
        var task: RequestTask { .requestPlain }
        var headers: [String: String]? { nil }
    }

    private let clock = TestClock()

    private func silent(
        _ middleware: [any MoyaMiddleware] = [], deadlines: Deadlines = Deadlines(), plugins: [any PluginType] = []
    ) -> MoyaProvider<API> {
        MoyaProvider(
            session: Session(transport: StepwiseTransport.waiting().transport), middleware: middleware,
            plugins: plugins,
            deadlines: deadlines, clock: clock)
    }

    /// Runs a call that must end at an instant and not before it.
    private func timeout(
        at bound: Duration, sleepers: Int = 1, _ call: @escaping @Sendable () async throws -> Response
    ) async throws -> Bool {
        let task = _Concurrency.Task { try await call() }
        try await clock.waitForSleepers(sleepers)
        #expect(clock.untilNextSleeper == bound)
        clock.advance(by: bound)
        return Result<Response, MoyaError>.of(await task.result)?.error?.isTimeout == true
    }

    @Test func totalDeadlineOfACallEndsIt() async throws {
        let provider = silent()
        #expect(try await timeout(at: .seconds(5)) { try await provider.request(API(), deadline: .seconds(5)) })
    }

    @Test func totalDeadlineOfADecodedCallEndsIt() async throws {
        let provider = silent()
        #expect(
            try await timeout(at: .seconds(5)) {
                _ = try await provider.request(API(), as: [String].self, deadline: .seconds(5))
                return Response(statusCode: 0, data: Data())
            })
    }

    @Test func totalDeadlineOfACallWithACompletionEndsIt() async throws {
        let provider = silent()
        let end = Promise<Result<Response, MoyaError>>()
        provider.request(API(), deadlines: Deadlines(total: .seconds(5)), callbackQueue: .global()) { end.fulfill($0) }
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(5))
        #expect(try await end.value.error?.isTimeout == true)
    }

    @Test func totalDeadlineOfTheProviderEndsACall() async throws {
        let provider = silent(deadlines: Deadlines(total: .seconds(7)))
        #expect(try await timeout(at: .seconds(7)) { try await provider.request(API()) })
    }

    @Test func deadlineOfTheTargetOverridesThatOfTheProvider() async throws {
        let provider = MoyaProvider<MultiTarget>(
            session: Session(transport: StepwiseTransport.waiting().transport),
            deadlines: Deadlines(total: .seconds(7)),
            clock: clock)
        let target = Slow(deadlines: Deadlines(total: .seconds(3)))
        #expect(try await timeout(at: .seconds(3)) { try await provider.request(MultiTarget(target)) })
    }

    @Test func deadlineOfTheCallOverridesThatOfTheTarget() {
        let own = Deadlines(total: .seconds(1))
        let target = Deadlines(attempt: .seconds(2), total: .seconds(3))
        let provider = Deadlines(idle: .seconds(4), attempt: .seconds(5))
        #expect(
            own.over(target).over(provider)
                == Deadlines(idle: .seconds(4), attempt: .seconds(2), total: .seconds(1)))
    }

    @Test func attemptDeadlineEndsOnlyTheAttempt() async throws {
        let attempts = Recorder<Bool>()
        let middleware = ClosureMiddleware { call, next throws(MoyaError) in
            do throws(MoyaError) {
                return try await next(call)
            } catch {
                attempts.append(error.isTimeout)
                return Response(statusCode: 599, data: Data())
            }
        }
        let plugin = RecordingPlugin(onReceive: { [attempts] in attempts.append($0.error?.isTimeout ?? false) })
        let provider = silent([middleware], deadlines: Deadlines(attempt: .seconds(2)), plugins: [plugin])
        async let response = provider.request(API())
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(2))
        #expect(try await response.statusCode == 599)
        #expect(attempts.values == [true, true])
    }

    @Test func totalDeadlineEndsACallWhoseMiddlewareIgnoresCancellation() async throws {
        let gate = Gate()
        let middleware = ClosureMiddleware { call, next throws(MoyaError) in
            await _Concurrency.Task.detached { try? await gate.wait() }.value
            return try await next(call)
        }
        let provider = silent([middleware], deadlines: Deadlines(total: .seconds(1)))
        #expect(try await timeout(at: .seconds(1)) { try await provider.request(API()) })
        gate.open()
    }

    @Test func totalDeadlineEndsACallWhoseRequestIsNeverMade() async throws {
        let provider = MoyaProvider<API>(
            requestClosure: { _, _ in }, deadlines: Deadlines(total: .seconds(1)), clock: clock)
        #expect(try await timeout(at: .seconds(1)) { try await provider.request(API()) })
    }

    @Test func totalDeadlineCountsTheWaitsOfMiddleware() async throws {
        let provider = silent([ClosureMiddleware.waiting(.seconds(9))], deadlines: Deadlines(total: .seconds(1)))
        #expect(try await timeout(at: .seconds(1), sleepers: 2) { try await provider.request(API()) })
    }

    @Test func totalDeadlineThatPassesBeforeTheRequestIsMadeSendsNothing() async {
        let transport = StepwiseTransport.answering()
        let provider = MoyaProvider<API>(session: Session(transport: transport))
        let deadlines = Deadlines(total: Duration(secondsComponent: 0, attosecondsComponent: 1))
        await #expect(throws: MoyaError.self) { _ = try await provider.request(API(), deadlines: deadlines) }
        #expect(transport.requests.count == 0)
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func deadlineThatHasPassedSendsNothing(_ bound: Duration) async {
        let transport = StepwiseTransport.answering()
        let provider = MoyaProvider<API>(session: Session(transport: transport), middleware: [], clock: clock)
        let result = Result<Response, MoyaError>.of(
            await _Concurrency.Task { try await provider.request(API(), deadline: bound) }.result)
        #expect(result?.error?.isTimeout == true)
        #expect(transport.requests.count == 0)
    }

    @Test(arguments: [Deadlines(total: .zero), Deadlines(attempt: .zero)], [true, false])
    func pluginProcessesTheTimeoutOfADeadlineThatHasPassed(_ deadlines: Deadlines, hasMiddleware: Bool) async {
        struct Renaming: PluginType {
            func process(_ result: Result<Response, MoyaError>, target: any TargetType) -> Result<Response, MoyaError> {
                .failure(.requestMapping("renamed"))
            }
        }
        let provider = MoyaProvider<API>(
            session: Session(transport: StepwiseTransport.answering()),
            middleware: hasMiddleware ? [ClosureMiddleware.waiting(.zero)] : [], plugins: [Renaming()],
            deadlines: deadlines, clock: clock)
        let result = Result<Response, MoyaError>.of(
            await _Concurrency.Task { try await provider.request(API()) }.result)
        guard case .requestMapping("renamed")? = result?.error else {
            Issue.record("\(String(describing: result))")
            return
        }
    }

    @Test func attemptDeadlineThatHasPassedSendsNothing() async {
        let transport = StepwiseTransport.answering()
        let provider = MoyaProvider<API>(
            session: Session(transport: transport), deadlines: Deadlines(attempt: .zero), clock: clock)
        let result = Result<Response, MoyaError>.of(
            await _Concurrency.Task { try await provider.request(API()) }.result)
        #expect(result?.error?.isTimeout == true)
        #expect(transport.requests.count == 0)
    }

    @Test func attemptDeadlineLeavesTheAttemptsOfTheSessionTheirTime() async throws {
        let silences = Recorder<Void>()
        let server = try await LoopbackServer { exchange in
            silences.append(())
            if silences.count == 1 { try await exchange.stallUntilClosed() } else { try await exchange.respond() }
        }
        struct Local: TargetType {
            let baseURL: URL
            var path: String { "" }
            var method: Moya.Method { .get }
            var task: RequestTask { .requestPlain }
            var headers: [String: String]? { nil }
        }
        let provider = MoyaProvider<Local>(
            session: Session(interceptor: RetryPolicy(retryLimit: 1, exponentialBackoffScale: 0)),
            deadlines: Deadlines(attempt: .seconds(2)))
        let target = Local(baseURL: try #require(URL(string: "\(server.url)")))
        #expect(try await provider.request(target).statusCode == 200)
        #expect(silences.count == 2)
    }

    /// Answers before it returns.
    private struct InlineTransport: Transport {
        func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
            _ = sink.receive(.head(TransportResponseHead(status: 200)))
            _ = sink.receive(.end(TransportEnd()))
            return FinishedExchange.shared
        }
    }

    @Test func resultThatWaitsForItsQueueIsNotReplacedByATimeout() async throws {
        let queue = DispatchQueue(label: "busy")
        let ends = Promise<Result<Response, MoyaError>>()
        let provider = MoyaProvider<API>(
            session: Session(transport: InlineTransport()), deadlines: Deadlines(total: .seconds(1)), clock: clock)
        queue.suspend()
        provider.request(API(), callbackQueue: queue) { ends.fulfill($0) }
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(2))
        try await clock.waitForNoSleepers()
        queue.resume()
        #expect(try await ends.value.get().statusCode == 200)
    }

    @Test func callWithinItsDeadlineLeavesNoTimerBehind() async throws {
        let provider = MoyaProvider<API>(
            stubClosure: MoyaProvider.immediatelyStub, deadlines: Deadlines(attempt: .seconds(1), total: .seconds(2)),
            clock: clock)
        #expect(try await provider.request(API()).statusCode == 200)
        try await clock.waitForNoSleepers()
    }

    @Test func connectAndIdleDeadlinesOverrideTheSessions() async throws {
        let transport = StepwiseTransport.answering()
        let session = Session(
            timeouts: Deadlines(connect: .seconds(50), idle: .seconds(40)), transport: transport)
        let provider = MoyaProvider<API>(session: session, deadlines: Deadlines(connect: .seconds(3)))
        _ = try await provider.request(API(), deadlines: Deadlines(idle: .milliseconds(1500)))
        let timeouts = try #require(transport.requests.values.first?.timeouts)
        #expect(timeouts.connect == 3)
        #expect(timeouts.idle == 1.5)
    }

    @Test func deadlineOfACallMayExceedThatOfItsSession() async throws {
        let transport = StepwiseTransport.answering()
        let session = Session(timeouts: Deadlines(total: .seconds(1)), transport: transport)
        let provider = MoyaProvider<API>(session: session, clock: clock)
        _ = try await provider.request(API(), deadline: .seconds(100))
        let sent = try #require(transport.requests.values.first)
        #expect(sent.timeouts.total == nil)
    }

    // MARK: The usual clock

    private func silentOnTheUsualClock(
        _ requestClosure: @escaping MoyaProvider<API>.RequestClosure = MoyaProvider<API>.defaultRequestMapping
    ) -> MoyaProvider<API> {
        MoyaProvider(
            requestClosure: requestClosure, session: Session(transport: StepwiseTransport.waiting().transport),
            deadlines: Deadlines(total: .milliseconds(20)))
    }

    @Test(arguments: [true, false]) func totalDeadlineEndsACallOnTheUsualClock(_ isSent: Bool) async {
        let provider = isSent ? silentOnTheUsualClock() : silentOnTheUsualClock { _, _ in }
        #expect(await provider.end(of: API()).error?.isTimeout == true)
        let awaited = Result<Response, MoyaError>.of(
            await _Concurrency.Task { try await provider.request(API()) }.result)
        #expect(awaited?.error?.isTimeout == true)
    }

    @Test func totalDeadlineEndsASharedCall() async {
        let provider = MoyaProvider<API>(
            session: Session(transport: StepwiseTransport.waiting().transport), trackInflights: true,
            deadlines: Deadlines(total: .milliseconds(20)))
        async let one = provider.end(of: API())
        async let other = provider.end(of: API())
        #expect(await [one, other].map { $0.error?.isTimeout } == [true, true])
        #expect(provider.inflightRequests.isEmpty)
    }

    @Test func attemptDeadlineEndsADelayedStub() async {
        let provider = MoyaProvider<API>(
            stubClosure: MoyaProvider.delayedStub(3_600), deadlines: Deadlines(attempt: .milliseconds(20)))
        #expect(await provider.end(of: API()).error?.isTimeout == true)
    }

    @Test func totalDeadlineEndsAStubOfASubclassThatNeverAnswers() async {
        final class Silent: MoyaProvider<API>, @unchecked Sendable {
            override func stubRequest(
                _ target: API, request: URLRequest, callbackQueue: DispatchQueue?,
                completion: @escaping SendableCompletion, endpoint: Endpoint, stubBehavior: StubBehavior
            ) -> CancellableToken { CancellableToken {} }
        }
        let provider = Silent(
            stubClosure: MoyaProvider.immediatelyStub, middleware: [], deadlines: Deadlines(total: .milliseconds(20)))
        #expect(await provider.end(of: API()).error?.isTimeout == true)
    }

    @Test func callWithinItsDeadlineIsReleased() async {
        final class Held: Sendable {}
        weak var left: Held?
        let provider = MoyaProvider<API>(
            stubClosure: MoyaProvider.immediatelyStub,
            deadlines: Deadlines(attempt: .seconds(900), total: .seconds(900)))
        do {
            let held = Held()
            left = held
            provider.request(API()) { _ in withExtendedLifetime(held) {} }
        }
        #expect(left == nil)
    }

    @Test func immediateStubWithADeadlineCompletesBeforeRequestReturns() {
        let provider = MoyaProvider<API>(
            stubClosure: MoyaProvider.immediatelyStub, deadlines: Deadlines(total: .seconds(900)))
        let ends = Recorder<Int?>()
        provider.request(API()) { ends.append($0.response?.statusCode) }
        #expect(ends.values == [200])
    }

    @Test(arguments: [Duration.seconds(Int64.max), .seconds(1 << 40), .nanoseconds(1)])
    func anyDeadlineIsAccepted(_ bound: Duration) async {
        let provider = MoyaProvider<API>(
            stubClosure: MoyaProvider.immediatelyStub, deadlines: Deadlines(attempt: bound, total: bound))
        let result = await provider.end(of: API())
        #expect(result.error?.isTimeout ?? (result.response?.statusCode == 200))
    }

    @Test func cancelWinsOverADeadline() async throws {
        let provider = silent(deadlines: Deadlines(total: .seconds(1)))
        let task = _Concurrency.Task { try await provider.request(API()) }
        try await clock.waitForSleepers(1)
        task.cancel()
        #expect(Result<Response, MoyaError>.of(await task.result)?.isCancelled == true)
    }
}
