import Foundation
import Moya
import MoyaSession
import MoyaTesting
import Testing

@Suite struct CallbackQueueTests {
    private let one = MarkedQueue("one")
    private let other = MarkedQueue("other")
    private let events = Recorder<String>()

    private func provider(_ queue: MarkedQueue?, stub: StubBehavior, plugins: [any PluginType] = []) -> MoyaProvider<
        GitHub
    > {
        MoyaProvider(
            stubClosure: { _ in stub }, callbackQueue: queue?.queue,
            session: Session(transport: StepwiseTransport.answering()), plugins: plugins)
    }

    /// The place where the completion of a call ran.
    private func place(_ provider: MoyaProvider<GitHub>, _ queue: MarkedQueue? = nil) async -> String {
        await withCheckedContinuation { continuation in
            provider.request(.zen, callbackQueue: queue?.queue) { _ in continuation.resume(returning: here) }
        }
    }

    private var here: String {
        if one.isCurrent { return "one" }
        if other.isCurrent { return "other" }
        return MarkedQueue.main.isCurrent ? "main" : "elsewhere"
    }

    private static let stubs: [StubBehavior] = [.never, .delayed(seconds: 0)]

    @Test(arguments: stubs + [.immediate]) func queueOfTheRequestOverridesThatOfTheProvider(_ stub: StubBehavior) async
    {
        #expect(await place(provider(one, stub: stub), other) == "other")
    }

    @Test(arguments: stubs + [.immediate]) func queueOfTheProviderIsUsedWhenTheRequestHasNone(_ stub: StubBehavior)
        async
    {
        #expect(await place(provider(one, stub: stub)) == "one")
    }

    @Test(arguments: stubs + [.immediate]) func queueOfTheRequestIsUsedWhenTheProviderHasNone(_ stub: StubBehavior)
        async
    {
        #expect(await place(provider(nil, stub: stub), other) == "other")
    }

    @Test func requestNormalUsesOnlyItsOwnQueue() {
        let places = Recorder<String>()
        let provider = provider(one, stub: .immediate)
        _ = provider.requestNormal(.zen, callbackQueue: nil, progress: nil) { _ in places.append(here) }
        #expect(places.values == [here])
    }

    @Test(arguments: stubs) func mainQueueIsTheDefault(_ stub: StubBehavior) async {
        #expect(await place(provider(nil, stub: stub)) == "main")
    }

    @Test func progressRunsOnTheCallbackQueue() async {
        let places = Recorder<String>()
        _ = await provider(nil, stub: .never)
            .end(of: .zen, on: one.queue, progress: { _ in places.append(here) })
        #expect(places.values == ["one", "one"])
    }

    @Test func didReceiveAndProcessRunOnTheCallbackQueue() async {
        let places = Recorder<String>()
        let plugin = RecordingPlugin(
            onReceive: { _ in places.append(here) },
            onProcess: { result in
                places.append(here)
                return result
            })
        _ = await provider(one, stub: .never, plugins: [plugin]).end(of: .zen)
        #expect(places.values == ["one", "one"])
    }

    @Test func cancelledRequestCompletesOnItsQueue() async throws {
        let (transport, exchanges) = StepwiseTransport.waiting()
        let provider = MoyaProvider<GitHub>(session: Session(transport: transport))
        let promise = Promise<String>()
        let token = provider.request(.zen, callbackQueue: one.queue) { _ in promise.fulfill(here) }
        for await _ in exchanges.prefix(1) { token.cancel() }
        #expect(try await promise.value == "one")
    }

    // MARK: Immediate stubs without a queue

    @Test func immediateStubSkipsTheRequestQueue() {
        let (provider, places) = (stubbed(requestQueue: one.queue, plugins: [plugin()]), events)
        one.queue.suspend()
        provider.request(.zen, progress: { _ in places.append(here) }, completion: { _ in places.append(here) })
        #expect(places.values == Array(repeating: "elsewhere", count: 7))
        one.queue.resume()
    }

    @Test(arguments: [true, false])
    func stubWhoseAdapterCompletesLaterCompletesOnTheMainQueue(_ isTracked: Bool) async throws {
        let hasReturned = DispatchSemaphore(value: 0)
        let adapter = Adapter { request, _, completion in
            other.queue.async {
                hasReturned.wait()
                completion(.success(request))
            }
        }
        let provider = stubbed(interceptor: adapter, isTracked: isTracked)
        let (progress, promise) = (Recorder<String>(), Promise<String>())
        provider.request(.zen, progress: { _ in progress.append(here) }, completion: { _ in promise.fulfill(here) })
        hasReturned.signal()
        #expect(try await promise.value == "main")
        #expect(progress.values == ["main", "main"])
        withExtendedLifetime(provider) {}
    }

    @Test(arguments: [true, false]) func stubThatIsRetriedLaterCompletesOnTheMainQueue(_ isTracked: Bool) async {
        let retries = Recorder<Void>()
        let retrier = Retrier { _, _, _, completion in
            retries.append(())
            completion(retries.count == 1 ? .retryWithDelay(0.001) : .doNotRetry)
        }
        let provider = stubbed(
            sample: .networkError(URLError(.networkConnectionLost) as NSError), interceptor: retrier,
            isTracked: isTracked)
        #expect(await place(provider) == "main")
        #expect(retries.count == 2)
    }

    @Test(arguments: [true, false]) func waitingStubCompletesOnTheMainQueueWhenItIsCancelled(_ isTracked: Bool)
        async throws
    {
        let provider = stubbed(interceptor: Adapter { _, _, _ in }, isTracked: isTracked)
        let promise = Promise<String>()
        let tokens = (0..<2).map { _ in provider.request(.zen) { _ in promise.fulfill(here) } }
        for token in tokens {
            token.cancel()
            #expect(try await promise.value == "main")
        }
        withExtendedLifetime(provider) {}
    }

    @Test(arguments: [true, false])
    func callerThatJoinsAStubFromAnotherThreadCompletesOnTheMainQueue(_ leaderHasAQueue: Bool) async throws {
        let (providers, promise) = (Recorder<MoyaProvider<GitHub>>(), Promise<String>())
        let joined = DispatchSemaphore(value: 0)
        let plugin = RecordingPlugin(onWillSend: { _, _ in
            other.queue.async {
                providers.values.first?.request(.zen) { _ in promise.fulfill(here) }
                joined.signal()
            }
            joined.wait()
        })
        let provider = stubbed(plugins: [plugin], isTracked: true)
        providers.append(provider)
        one.queue.async { provider.request(.zen, callbackQueue: leaderHasAQueue ? one.queue : nil) { _ in } }
        #expect(try await promise.value == "main")
        providers.removeAll()
    }

    private func stubbed(
        sample: EndpointSampleResponse = .networkResponse(200, Data("sample".utf8)), requestQueue: DispatchQueue? = nil,
        interceptor: (any RequestInterceptor)? = nil, plugins: [any PluginType] = [], isTracked: Bool = false
    ) -> MoyaProvider<GitHub> {
        MoyaProvider(
            endpointClosure: {
                Endpoint(
                    url: URL(target: $0).absoluteString, sampleResponseClosure: { sample }, method: $0.method,
                    task: $0.task, httpHeaderFields: nil)
            },
            stubClosure: MoyaProvider.immediatelyStub,
            session: Session(
                requestQueue: requestQueue, interceptor: interceptor, transport: StepwiseTransport.answering()),
            plugins: plugins, trackInflights: isTracked)
    }

    /// Records the place of each of its methods.
    private func plugin() -> RecordingPlugin {
        RecordingPlugin(
            onPrepare: { request in
                events.append(here)
                return request
            },
            onWillSend: { _, _ in events.append(here) },
            onReceive: { _ in events.append(here) },
            onProcess: { result in
                events.append(here)
                return result
            })
    }
}
