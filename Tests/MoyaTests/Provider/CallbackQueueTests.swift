import Foundation
import Moya
import Testing

@Suite struct CallbackQueueTests {
    private let one = MarkedQueue("one")
    private let other = MarkedQueue("other")

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

    @Test func cancelledRequestCompletesOnItsQueue() async {
        let (transport, exchanges) = StepwiseTransport.waiting()
        let provider = MoyaProvider<GitHub>(session: Session(transport: transport))
        let promise = Promise<String>()
        let token = provider.request(.zen, callbackQueue: one.queue) { _ in promise.fulfill(here) }
        for await _ in exchanges.prefix(1) { token.cancel() }
        #expect(await promise.value == "one")
    }
}
