import Foundation
import Moya
import MoyaTesting
import Testing

/// The plugins of a call that is cancelled, or whose time is over.
@Suite(.timeLimit(.minutes(1))) struct StoppedCallTests {
    /// Renames every failure, and records what it is told.
    private struct Renaming: PluginType {
        let events: Recorder<String>

        func didReceive(_ result: Result<Response, MoyaError>, target: any TargetType) { events.append("didReceive") }

        func process(
            _ result: Result<Response, MoyaError>, target: any TargetType
        ) -> Result<Response, MoyaError> {
            events.append("process")
            return result.mapError { _ in .requestMapping("renamed") }
        }
    }

    enum Stop: CaseIterable { case cancellation, deadline }

    private let clock = TestClock()
    private let events = Recorder<String>()
    private let ended = Promise<Result<Response, MoyaError>>()

    private func provider(
        _ transport: StepwiseTransport, _ middleware: [any MoyaMiddleware], total: Duration?
    ) -> MoyaProvider<API> {
        MoyaProvider(
            session: Session(transport: transport), middleware: middleware, plugins: [Renaming(events: events)],
            deadlines: Deadlines(total: total), clock: clock)
    }

    private func start(_ provider: MoyaProvider<API>) -> any Cancellable {
        provider.request(API(), callbackQueue: .global()) { [events, ended] result in
            events.append("completion")
            ended.fulfill(result)
        }
    }

    private func perform(_ stop: Stop, on call: any Cancellable) async throws {
        guard stop == .deadline else { return call.cancel() }
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(5))
    }

    private func expectRenamed(_ events: [String]) async throws {
        guard case .failure(.requestMapping("renamed")) = try await ended.value else {
            Issue.record("not processed")
            return
        }
        #expect(self.events.values == events)
    }

    @Test(
        arguments: Stop.allCases,
        [[], [ClosureMiddleware.waiting(.zero)], [PluginsMiddleware()]] as [[any MoyaMiddleware]])
    func processTheEndDuringAnAttempt(_ stop: Stop, _ middleware: [any MoyaMiddleware]) async throws {
        let (transport, exchanges) = StepwiseTransport.waiting()
        let provider = provider(transport, middleware, total: stop == .deadline ? .seconds(5) : nil)
        let call = start(provider)
        for await exchange in exchanges {
            try await perform(stop, on: call)
            try await expectRenamed(["didReceive", "process", "completion"])
            withExtendedLifetime(exchange) {}
            break
        }
    }

    @Test(arguments: Stop.allCases, [true, false])
    func processTheEndWhileMiddlewareIgnoresIt(_ stop: Stop, hasPluginsAround: Bool) async throws {
        let held = Gate()
        defer { held.open() }
        let idle = ClosureMiddleware { call, next throws(MoyaError) in
            await _Concurrency.Task { try? await held.wait() }.value
            return try await next(call)
        }
        let middleware: [any MoyaMiddleware] = hasPluginsAround ? [PluginsMiddleware(), idle] : [idle]
        let provider = provider(.answering(), middleware, total: stop == .deadline ? .seconds(5) : nil)
        let call = start(provider)
        try await held.waitForArrivals(1)
        try await perform(stop, on: call)
        // The plugins were notified of the request only if they are around the middleware.
        try await expectRenamed((hasPluginsAround ? ["didReceive"] : []) + ["process", "completion"])
    }

    @Test(arguments: [[], [ClosureMiddleware.waiting(.zero)], [PluginsMiddleware()]] as [[any MoyaMiddleware]])
    func cancelAnAwaitedCall(_ middleware: [any MoyaMiddleware]) async {
        /// Cancels the task in which the result is processed.
        struct Cancelling: PluginType {
            func process(
                _ result: Result<Response, MoyaError>, target: any TargetType
            ) -> Result<Response, MoyaError> {
                withUnsafeCurrentTask { $0?.cancel() }
                return result
            }
        }
        let provider = MoyaProvider<API>(
            session: Session(transport: StepwiseTransport.answering()), middleware: middleware, plugins: [Cancelling()])
        let result = await _Concurrency.Task { try await provider.request(API()) }.result
        #expect(Result<Response, MoyaError>.of(result)?.isCancelled == true)
    }
}
