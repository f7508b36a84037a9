import Foundation
import Moya
import MoyaTesting
import MoyaTransport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Every way of calling a provider passes its middleware.
@Suite struct MoyaProviderMiddlewareTests {
    private let events = Recorder<String>()
    private var middleware: ClosureMiddleware { .recording("middleware", in: events) }
    private let passed = ["middleware in", "middleware out"]

    @Test func callWithACompletionPassesTheMiddleware() async {
        let provider = MoyaProvider<API>(
            session: Session(transport: StepwiseTransport.answering()), middleware: [middleware])
        #expect(await provider.end(of: API()).text == "answer")
        #expect(events.values == passed)
    }

    @Test func stubbedCallPassesTheMiddleware() async {
        let provider = MoyaProvider<API>(stubClosure: MoyaProvider.immediatelyStub, middleware: [middleware])
        #expect(await provider.end(of: API()).response?.statusCode == 200)
        #expect(events.values == passed)
    }

    @Test func stubbedCallThatIsAwaitedPassesTheMiddleware() async throws {
        let provider = MoyaProvider<API>(stubClosure: MoyaProvider.delayedStub(0.001), middleware: [middleware])
        #expect(try await provider.request(API()).statusCode == 200)
        #expect(events.values == passed)
    }

    @Test func progressSequencePassesTheMiddleware() async throws {
        let provider = MoyaProvider<API>(
            session: Session(transport: StepwiseTransport.answering()), middleware: [middleware])
        var events: [ProgressResponse] = []
        for try await event in provider.progress(of: API()) { events.append(event) }
        #expect(events.last?.response?.statusCode == 200)
        #expect(events.filter(\.completed).count == 1)
        #expect(self.events.values == passed)
    }

    @Test func progressEndsOnceForAnyNumberOfAttempts() async {
        let provider = MoyaProvider<API>(
            session: Session(transport: StepwiseTransport.answering()), middleware: [ClosureMiddleware.repeating(2)])
        let progress = Recorder<ProgressResponse>()
        _ = await provider.end(of: API(), progress: { progress.append($0) })
        #expect(progress.values.map(\.completed) == [false, false, true])
        #expect(progress.values.last?.progressObject?.completedUnitCount == 6)
    }

    @Test func progressOfTwoAttemptsIsNotReportedAtTheSameTime() async {
        let provider = MoyaProvider<API>(
            session: Session(transport: StepwiseTransport.answering()), middleware: [ClosureMiddleware.repeating(2)])
        let queue = DispatchQueue(label: "callbacks", attributes: .concurrent)
        let isFirst = Lock(true)
        let second = DispatchSemaphore(value: 0)
        let overlaps = Recorder<Bool>()
        _ = await provider.end(of: API(), on: queue) { _ in
            guard isFirst.exchange(false) else { return _ = second.signal() }
            overlaps.append(second.wait(timeout: .now() + 0.2) == .success)
        }
        #expect(overlaps.values == [false])
    }

    @Test func equalCallsInFlightPassTheMiddlewareOnce() async throws {
        let (transport, exchanges) = StepwiseTransport.waiting()
        let provider = MoyaProvider<API>(
            session: Session(transport: transport), middleware: [middleware], trackInflights: true)
        let ends = Promise<String?>()
        for _ in 0..<3 { provider.request(API(), callbackQueue: .global()) { ends.fulfill($0.text) } }
        #expect(provider.inflightRequests.values.map(\.count) == [3])
        for await exchange in exchanges.prefix(1) { exchange.answer() }
        for _ in 0..<3 { #expect(try await ends.value == "answer") }
        #expect(events.values == passed)
        #expect(provider.inflightRequests.isEmpty)
    }

    @Test func pluginsProcessTheEndOfSharedCallsOnce() async throws {
        let plugin = RecordingPlugin()
        let (transport, exchanges) = StepwiseTransport.waiting()
        let provider = MoyaProvider<API>(
            session: Session(transport: transport), middleware: [middleware], plugins: [plugin], trackInflights: true)
        let ends = Promise<String?>()
        for _ in 0..<2 { provider.request(API(), callbackQueue: .global()) { ends.fulfill($0.text) } }
        for await exchange in exchanges.prefix(1) { exchange.answer() }
        for _ in 0..<2 { #expect(try await ends.value == "answer") }
        #expect(plugin.events.values == ["prepare", "willSend", "didReceive", "process"])
    }

    @Test func cancellableCancelsWaitingMiddleware() async throws {
        let clock = TestClock()
        let transport = StepwiseTransport.answering()
        let provider = MoyaProvider<API>(
            session: Session(transport: transport), middleware: [ClosureMiddleware.waiting(.seconds(60))], clock: clock)
        let end = Promise<Result<Response, MoyaError>>()
        let call = provider.request(API(), callbackQueue: .global()) { end.fulfill($0) }
        try await clock.waitForSleepers(1)
        call.cancel()
        #expect(call.isCancelled)
        #expect(try await end.value.isCancelled)
        #expect(transport.requests.count == 0)
    }

    @Test func cancellableCancelsTheExchangeInFlight() async throws {
        let (transport, exchanges) = StepwiseTransport.waiting()
        let provider = MoyaProvider<API>(session: Session(transport: transport), middleware: [middleware])
        let end = Promise<Result<Response, MoyaError>>()
        let call = provider.request(API(), callbackQueue: .global()) { end.fulfill($0) }
        for await exchange in exchanges.prefix(1) {
            call.cancel()
            #expect(try await end.value.isCancelled)
            #expect(exchange.cancellations.count == 1)
        }
    }

    @Test func callOfAReleasedProviderPassesItsMiddleware() async throws {
        let clock = TestClock()
        var provider: MoyaProvider<API>? = MoyaProvider(
            stubClosure: MoyaProvider.immediatelyStub, middleware: [ClosureMiddleware.waiting(.seconds(60))],
            clock: clock)
        let end = Promise<Result<Response, MoyaError>>()
        provider?.request(API(), callbackQueue: .global()) { end.fulfill($0) }
        try await clock.waitForSleepers(1)
        provider = nil
        clock.advance(by: .seconds(60))
        #expect(try await end.value.response?.statusCode == 200)
    }

    @Test func completionRunsOnTheQueueOfTheCall() async throws {
        let queue = MarkedQueue("middleware")
        let provider = MoyaProvider<API>(stubClosure: MoyaProvider.immediatelyStub, middleware: [middleware])
        let isThere = Promise<Bool>()
        provider.request(API(), callbackQueue: queue.queue) { _ in isThere.fulfill(queue.isCurrent) }
        #expect(try await isThere.value)
    }

    @Test func completionRunsOnTheMainQueueByDefault() async throws {
        let provider = MoyaProvider<API>(stubClosure: MoyaProvider.immediatelyStub, middleware: [middleware])
        let isThere = Promise<Bool>()
        let main = MarkedQueue.main
        provider.request(API()) { _ in isThere.fulfill(main.isCurrent) }
        #expect(try await isThere.value)
    }

    @Test func subclassTakesPartInItsOwnWay() async throws {
        let provider = OverridingProvider<API>(
            stubClosure: MoyaProvider.immediatelyStub, middleware: [middleware],
            plugins: [RecordingPlugin(events: events)])
        #expect(try await provider.request(API()).statusCode == 200)
        #expect(
            events.values == [
                "request", "middleware in", "stubRequest", "prepare", "willSend", "didReceive", "process",
                "middleware out",
            ])
        #expect(provider.plugins.count == 2)
    }

    @Test func providerWithNoMiddlewareCompletesAnImmediateStubBeforeItReturns() {
        let provider = MoyaProvider<API>(stubClosure: MoyaProvider.immediatelyStub, middleware: [])
        let ends = Recorder<String?>()
        provider.request(API()) { ends.append($0.text) }
        #expect(ends.count == 1)
    }
}

/// A provider that overrides everything that a subclass of Moya 15's can.
private class OverridingProvider<Target: TargetType>: MoyaProvider<Target>, @unchecked Sendable {
    private let events: Recorder<String>

    override init(
        endpointClosure: @escaping EndpointClosure = MoyaProvider.defaultEndpointMapping,
        requestClosure: @escaping RequestClosure = MoyaProvider<Target>.defaultRequestMapping,
        stubClosure: @escaping StubClosure = MoyaProvider.neverStub,
        callbackQueue: DispatchQueue? = nil,
        session: Session = MoyaProvider<Target>.defaultAlamofireSession(),
        plugins: [any PluginType] = [],
        trackInflights: Bool = false
    ) {
        events = (plugins.first as? RecordingPlugin)?.events ?? Recorder()
        super.init(
            endpointClosure: endpointClosure, requestClosure: requestClosure, stubClosure: stubClosure,
            callbackQueue: callbackQueue, session: session, plugins: plugins + [NetworkActivityPlugin { _, _ in }],
            trackInflights: trackInflights)
    }

    override init(
        stubClosure: @escaping StubClosure, callbackQueue: DispatchQueue?, session: Session,
        plugins: [any PluginType], trackInflights: Bool
    ) {
        events = Recorder()
        super.init(
            stubClosure: stubClosure, callbackQueue: callbackQueue, session: session, plugins: plugins,
            trackInflights: trackInflights)
    }

    override func request(
        _ target: Target, callbackQueue: DispatchQueue? = nil, progress: SendableProgressBlock? = nil,
        completion: @escaping SendableCompletion
    ) -> any Cancellable {
        events.append("request")
        return super.request(target, callbackQueue: callbackQueue, progress: progress, completion: completion)
    }

    override func stubRequest(
        _ target: Target, request: URLRequest, callbackQueue: DispatchQueue?, completion: @escaping SendableCompletion,
        endpoint: Endpoint, stubBehavior: StubBehavior
    ) -> CancellableToken {
        events.append("stubRequest")
        return super.stubRequest(
            target, request: request, callbackQueue: callbackQueue, completion: completion, endpoint: endpoint,
            stubBehavior: stubBehavior)
    }
}
