import Foundation
import MoyaSession
import MoyaTesting
import Testing

@testable import Moya

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A call with middleware that is stopped while its request closure runs.
@Suite struct ProviderCallMiddlewareTests {
    enum Stop: CaseIterable, Sendable {
        case deadline, deadlineThenCancellation, cancellationThenDeadline, cancellation

        func perform(on call: ProviderCall) {
            let error = MoyaError.timedOut(after: .seconds(1), of: "total", url: nil)
            if self == .cancellationThenDeadline || self == .cancellation { call.cancel() }
            if self != .cancellation { call.expire(with: error) }
            if self == .deadlineThenCancellation { call.cancel() }
        }
    }

    /// The queue of the completion is busy meanwhile, as the main queue is during a call made on it.
    @Test(arguments: Stop.allCases) func pluginsReceiveTheEndOnce(_ stop: Stop) async throws {
        let (queue, ended, events) = (DispatchQueue(label: "callbacks"), Promise<Void>(), Recorder<String>())
        let settings = CallSettings(
            middleware: [ClosureMiddleware.waiting(.zero)], deadlines: Deadlines(total: .seconds(1)),
            clock: TestClock())
        let endpoint = MoyaProvider<API>.defaultEndpointMapping(for: API())
        let request = try endpoint.urlRequest()
        let call = ProviderCall(
            target: API(), plugins: [RecordingPlugin(events: events)], queue: queue,
            consumer: .completion { _ in ended.fulfill(()) },
            route: CallRoute(settings, CallLimits(), to: endpoint.url))
        queue.suspend()
        call.start(
            ProviderCall.SendContext(endpoint: endpoint, behavior: .immediate, session: Session(), stubbing: nil)
        ) { _, done in
            stop.perform(on: call)
            done(.success(request))
        }
        await call.state.withLock { $0.chain }?.value
        queue.resume()
        try await ended.value
        #expect(events.values == ["didReceive", "process"])
    }

    /// The call is stopped before the awaiting task begins to pass its middleware.
    @Test(.timeLimit(.minutes(1)), arguments: Stop.allCases, [[], [PluginsMiddleware()]])
    func pluginsProcessTheEndOfAnAwaitedCallOnce(_ stop: Stop, _ plugins: [PluginsMiddleware]) async throws {
        let events = Recorder<String>()
        let settings = CallSettings(
            middleware: plugins + [ClosureMiddleware.waiting(.zero)], deadlines: Deadlines(), clock: TestClock())
        let endpoint = MoyaProvider<API>.defaultEndpointMapping(for: API())
        let request = try endpoint.urlRequest()
        let call = ProviderCall(
            target: API(), plugins: [RecordingPlugin(events: events)], consumer: .task(nil),
            route: CallRoute(settings, CallLimits(), to: endpoint.url))
        let result = await call.value {
            call.start(
                ProviderCall.SendContext(endpoint: endpoint, behavior: .immediate, session: Session(), stubbing: nil)
            ) { $1(.success(request)) }
            stop.perform(on: call)
        }
        #expect(result.error != nil)
        #expect(events.values == ["process"])
    }

    /// The plugins run around middleware that ignores the end of the call, and then ends too.
    @Test(.timeLimit(.minutes(1)), arguments: Stop.allCases)
    func pluginsAroundMiddlewareReceiveTheEndOnce(_ stop: Stop) async throws {
        let (held, ended, events) = (Gate(), Promise<Void>(), Recorder<String>())
        let idle = ClosureMiddleware { call, next throws(MoyaError) in
            await _Concurrency.Task { try? await held.wait() }.value
            return try await next(call)
        }
        let settings = CallSettings(
            middleware: [PluginsMiddleware(), idle], deadlines: Deadlines(), clock: TestClock())
        let endpoint = MoyaProvider<API>.defaultEndpointMapping(for: API())
        let request = try endpoint.urlRequest()
        let call = ProviderCall(
            target: API(), plugins: [RecordingPlugin(events: events)], queue: .global(),
            consumer: .completion { _ in
                events.append("completion")
                ended.fulfill(())
            },
            route: CallRoute(settings, CallLimits(), to: endpoint.url))
        call.start(
            ProviderCall.SendContext(endpoint: endpoint, behavior: .immediate, session: Session(), stubbing: nil)
        ) { $1(.success(request)) }
        try await held.waitForArrivals(1)
        let chain = call.state.withLock { $0.chain }
        stop.perform(on: call)
        try await ended.value
        held.open()
        await chain?.value
        #expect(events.values == ["prepare", "willSend", "didReceive", "process", "completion"])
    }

    /// Middleware that passes the call on in another task, and ignores its own cancellation.
    @Test(.timeLimit(.minutes(1))) func aCancellationEndsAnAttemptInAnotherTask() async throws {
        let (transport, exchanges) = StepwiseTransport.waiting()
        let detached = ClosureMiddleware { call, next throws(MoyaError) in
            let result = await _Concurrency.Task<Result<Response, MoyaError>, Never> {
                do throws(MoyaError) { return .success(try await next(call)) } catch { return .failure(error) }
            }.value
            return try result.get()
        }
        let ended = Promise<Result<Response, MoyaError>>()
        let provider = MoyaProvider<API>(session: Session(transport: transport), middleware: [detached])
        let call = provider.request(API(), callbackQueue: .global()) { ended.fulfill($0) }
        for await exchange in exchanges {
            call.cancel()
            #expect(try await ended.value.isCancelled)
            withExtendedLifetime(exchange) {}
            break
        }
    }

    /// A call that its plugin stops while it is notified of the request.
    @Test(.timeLimit(.minutes(1)), arguments: Stop.allCases)
    func pluginsReceiveTheEndBehindTheRequest(_ stop: Stop) async throws {
        let (stopped, ended, events) = (Watched<ProviderCall?>(nil), Promise<Void>(), Recorder<String>())
        let plugin = RecordingPlugin(
            events: events,
            onWillSend: { _, _ in
                stopped.value.map { stop.perform(on: $0) }
                events.append("sent")
            })
        let settings = CallSettings(
            middleware: [PluginsMiddleware(), ClosureMiddleware.waiting(.zero)], deadlines: Deadlines(),
            clock: TestClock())
        let endpoint = MoyaProvider<API>.defaultEndpointMapping(for: API())
        let request = try endpoint.urlRequest()
        let call = ProviderCall(
            target: API(), plugins: [plugin], queue: .global(),
            consumer: .completion { _ in
                events.append("completion")
                ended.fulfill(())
            },
            route: CallRoute(settings, CallLimits(), to: endpoint.url))
        stopped.update { $0 = call }
        call.start(
            ProviderCall.SendContext(endpoint: endpoint, behavior: .immediate, session: Session(), stubbing: nil)
        ) { $1(.success(request)) }
        try await ended.value
        #expect(events.values == ["prepare", "willSend", "sent", "didReceive", "process", "completion"])
        stopped.update { $0 = nil }
    }

    /// The end of the middleware is on its way to the queue of the completion.
    @Test(.timeLimit(.minutes(1)), arguments: Stop.allCases)
    func pluginsProcessACancellationBehindTheEnd(_ stop: Stop) async throws {
        let (queue, ended, events) = (DispatchQueue(label: "callbacks"), Promise<Bool>(), Recorder<String>())
        let answering = ClosureMiddleware { _, _ in Response(statusCode: 200, data: Data()) }
        let settings = CallSettings(middleware: [answering], deadlines: Deadlines(), clock: TestClock())
        let endpoint = MoyaProvider<API>.defaultEndpointMapping(for: API())
        let request = try endpoint.urlRequest()
        let call = ProviderCall(
            target: API(), plugins: [RecordingPlugin(events: events)], queue: queue,
            consumer: .completion { ended.fulfill($0.error == nil) },
            route: CallRoute(settings, CallLimits(), to: endpoint.url))
        queue.suspend()
        call.start(
            ProviderCall.SendContext(endpoint: endpoint, behavior: .immediate, session: Session(), stubbing: nil)
        ) { $1(.success(request)) }
        await call.state.withLock { $0.chain }?.value
        stop.perform(on: call)
        queue.resume()
        // A deadline that passes now comes too late.
        let isInTime = stop == .deadline
        #expect(try await ended.value == isInTime)
        #expect(events.values == (isInTime ? [] : ["process"]))
    }

    /// The deadline of a call with middleware ends its attempt between its creation and its start.
    @Test(.timeLimit(.minutes(1)), arguments: Stop.allCases)
    func aCallThatIsStoppedBeforeItIsAwaitedEndsUnsent(_ stop: Stop) async {
        let call = ProviderCall(target: API(), plugins: [], consumer: .task(nil))
        stop.perform(on: call)
        let isStarted = Recorder<Void>()
        let result = await call.value { isStarted.append(()) }
        #expect(result.error != nil)
        #expect(isStarted.count == 0)
    }
}
