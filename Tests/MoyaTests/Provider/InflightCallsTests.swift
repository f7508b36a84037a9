import Foundation
import Moya
import MoyaSession
import MoyaTesting
import MoyaTransport
import Testing

@Suite struct InflightCallsTests {
    private let events = Recorder<String>()

    func provider(
        _ transport: StepwiseTransport, plugins: [any PluginType] = [], queue: DispatchQueue? = nil
    ) -> MoyaProvider<GitHub> {
        MoyaProvider(
            callbackQueue: queue, session: Session(transport: transport), plugins: plugins, trackInflights: true)
    }

    /// A provider with two equal calls in flight, and their exchange.
    struct Pair {
        let provider: MoyaProvider<GitHub>
        let transport: StepwiseTransport
        let exchange: ScriptedExchange
        let tokens: [any Cancellable]
        let results: [Promise<Result<Response, MoyaError>>]
        /// The callers whose completions ran, in order.
        let order: Recorder<Int>
    }

    func pair(
        plugins: [any PluginType] = [], queues: [DispatchQueue?] = [nil, nil],
        progress: [SendableProgressBlock?] = [nil, nil],
        inside: @escaping @Sendable (MoyaProvider<GitHub>) -> Void = { _ in },
        completed: @escaping @Sendable (_ index: Int) -> Void = { _ in }
    ) async -> Pair {
        let (transport, exchanges) = StepwiseTransport.waiting()
        let provider = provider(transport, plugins: plugins)
        let order = Recorder<Int>()
        let results = queues.map { _ in Promise<Result<Response, MoyaError>>() }
        let tokens = queues.indices.map { index in
            provider.request(.zen, callbackQueue: queues[index], progress: progress[index]) {
                // The closure retains the provider, whose release would end the calls, until they have ended.
                order.append(index)
                inside(provider)
                completed(index)
                results[index].fulfill($0)
            }
        }
        var exchange: ScriptedExchange?
        for await started in exchanges.prefix(1) { exchange = started }
        return Pair(
            provider: provider, transport: transport, exchange: exchange!, tokens: tokens, results: results,
            order: order)
    }

    // MARK: Sharing

    @Test(.timeLimit(.minutes(1))) func aCallWhoseRequestIsNeverMadeLeavesNothing() async throws {
        let released = Promise<Int>()
        let provider = MoyaProvider<Uploading>(requestClosure: { _, _ in }, trackInflights: true)
        let bytes = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 1)
        let deallocator = Data.Deallocator.custom { pointer, count in
            pointer.deallocate()
            released.fulfill(count)
        }
        provider.request(Uploading(body: Data(bytesNoCopy: bytes, count: 64, deallocator: deallocator))) { _ in }
            .cancel()
        #expect(try await released.value == 64)
        withExtendedLifetime(provider) {}
    }

    /// A call without an answer is released where the next one is looked up.
    @Test func callsThatAreReleasedByManyThreadsEndNoProcess() async {
        let provider = MoyaProvider<GitHub>(requestClosure: { _, _ in }, trackInflights: true)
        await withTaskGroup(of: Void.self) { threads in
            for _ in 0..<4 {
                threads.addTask {
                    for _ in 0..<20_000 { provider.request(.zen) { _ in } }
                }
            }
        }
        #expect(provider.inflightRequests.isEmpty)
    }

    @Test func noEntriesBeforeTheFirstCall() { #expect(provider(.answering()).inflightRequests.isEmpty) }

    @Test func noEntriesUnlessCallsAreTracked() async {
        let provider = MoyaProvider<GitHub>(stubClosure: MoyaProvider.delayedStub(3_600))
        let token = provider.request(.zen) { _ in }
        #expect(provider.inflightRequests.isEmpty)
        token.cancel()
    }

    @Test func callsInFlightAreOneEntryWithACompletionEach() async {
        let pair = await pair()
        #expect(pair.provider.inflightRequests.count == 1)
        #expect(pair.provider.inflightRequests[pair.provider.endpoint(.zen)]?.count == 2)
    }

    @Test func callWithALengthLimitOfItsOwnIsNotShared() async {
        let pair = await pair()
        let token = pair.provider.request(.zen, maximumResponseBytes: 10) { _ in }
        #expect(pair.transport.requests.count == 2)
        token.cancel()
        pair.tokens.forEach { $0.cancel() }
    }

    @Test func callOfATargetWithALengthLimitIsNotShared() {
        let transport = StepwiseTransport.waiting().transport
        let provider = MoyaProvider<API>(session: Session(transport: transport), trackInflights: true)
        let tokens = [nil, 10].map { limit in provider.request(API(maximumResponseBytes: limit)) { _ in } }
        #expect(transport.requests.count == 2)
        tokens.forEach { $0.cancel() }
    }

    /// Each needs its own file, or its own judgement of the status.
    @Test func callsThatDifferInDestinationOrValidationAreNotShared() {
        let transport = StepwiseTransport.waiting().transport
        let provider = MoyaProvider<API>(session: Session(transport: transport), trackInflights: true)
        let download = API(task: .downloadDestination { url, _ in (url, []) })
        let targets = [API(), API(validationType: .successCodes), download, download]
        let tokens = targets.map { provider.request($0) { _ in } }
        #expect(transport.requests.count == 4)
        tokens.forEach { $0.cancel() }
    }

    @Test(.timeLimit(.minutes(1))) func callThatIsTimedOutIsNotJoined() async throws {
        let queue = DispatchQueue(label: "callbacks")
        let (transport, exchanges) = StepwiseTransport.waiting()
        let provider = MoyaProvider<GitHub>(session: Session(transport: transport), trackInflights: true)
        var sent = exchanges.makeAsyncIterator()
        // Its end waits for the queue.
        queue.suspend()
        let first = provider.request(.zen, deadlines: Deadlines(total: .seconds(1)), callbackQueue: queue) { _ in
        }
        let exchange = await sent.next()
        try await eventually { exchange?.cancellations.count != 0 }
        let second = provider.request(.zen) { _ in }
        #expect(transport.requests.count == 2)
        queue.resume()
        first.cancel()
        second.cancel()
    }

    @Test func equalCallsAreOneExchange() async throws {
        let pair = await pair()
        pair.exchange.answer()
        for result in pair.results { _ = try await result.value }
        #expect(pair.transport.requests.count == 1)
    }

    @Test func bothCompletionsGetEqualResponses() async throws {
        let pair = await pair()
        pair.exchange.answer()
        let (one, other) = (try await pair.results[0].value.response, try await pair.results[1].value.response)
        #expect(one != nil && one == other)
    }

    @Test func firstCompletionRunsBeforeTheSecond() async throws {
        let pair = await pair()
        pair.exchange.answer()
        for result in pair.results { _ = try await result.value }
        #expect(pair.order.values == [0, 1])
    }

    @Test func completionsOnOneQueueKeepTheirOrder() async throws {
        let queue = DispatchQueue(label: "callbacks")
        let (transport, exchanges) = StepwiseTransport.waiting()
        let provider = MoyaProvider<GitHub>(session: Session(transport: transport), trackInflights: true)
        let order = Recorder<Int>()
        let last = Promise<Void>()
        for number in 0..<3 {
            provider.request(.zen, callbackQueue: queue, progress: number == 1 ? { @Sendable _ in } : nil) { _ in
                order.append(number)
                if order.count == 3 { last.fulfill(()) }
            }
        }
        for await exchange in exchanges.prefix(1) { exchange.answer() }
        try await last.value
        #expect(order.values == [0, 1, 2])
    }

    @Test func noEntriesAfterTheLastCall() async throws {
        let pair = await pair()
        pair.exchange.answer()
        for result in pair.results { _ = try await result.value }
        #expect(pair.provider.inflightRequests.isEmpty)
    }

    @Test func bothTokensAreOfTheSameKind() async {
        let pair = await pair()
        #expect(type(of: pair.tokens[0]) == type(of: pair.tokens[1]))
        #expect(!(pair.tokens[1] is CancellableToken))
    }

    @Test func failureReachesEveryCaller() async throws {
        let pair = await pair()
        pair.exchange.end(TransportFailure(.reset, message: "as scripted"))
        for result in pair.results { #expect(try await result.value.error != nil) }
    }

    @Test func differentCallsAreSeparateExchanges() async {
        let transport = StepwiseTransport.answering()
        let provider = provider(transport)
        async let one = provider.end(of: .zen)
        async let other = provider.end(of: .userProfile("a"))
        _ = await (one, other)
        #expect(transport.requests.count == 2)
    }

    @Test func stubsAreSharedToo() async throws {
        let (queue, samples) = (DispatchQueue(label: "callbacks"), Recorder<Void>())
        let provider = MoyaProvider<GitHub>(
            endpointClosure: { target in
                Endpoint(
                    url: URL(target: target).absoluteString,
                    sampleResponseClosure: {
                        samples.append(())
                        return .networkResponse(200, Data("sample".utf8))
                    }, method: .get, task: .requestPlain, httpHeaderFields: nil)
            }, stubClosure: MoyaProvider.delayedStub(0.01), callbackQueue: queue, trackInflights: true)
        let promise = Promise<Result<Response, MoyaError>>()
        for _ in 0..<2 { provider.request(.zen) { promise.fulfill($0) } }
        #expect(try await promise.value.text == "sample")
        #expect(try await promise.value.text == "sample")
        #expect(samples.count == 1)
    }

    @Test func immediateStubCompletesBeforeRequestReturns() {
        let provider = MoyaProvider<GitHub>(stubClosure: MoyaProvider.immediatelyStub, trackInflights: true)
        let results = Recorder<Result<Response, MoyaError>>()
        provider.request(.zen) { results.append($0) }
        #expect(results.count == 1)
    }

    // MARK: Plugins

    @Test func pluginsReceiveOnceAndProcessForEachCaller() async throws {
        let pair = await pair(plugins: [RecordingPlugin(events: events)])
        pair.exchange.answer()
        for result in pair.results { _ = try await result.value }
        #expect(events.values == ["prepare", "willSend", "didReceive", "process", "process"])
    }

    @Test func cancelledOnlyCallerEndsAsAnyCancelledCall() async throws {
        let (transport, exchanges) = StepwiseTransport.waiting()
        let promise = Promise<Result<Response, MoyaError>>()
        let provider = provider(transport, plugins: [RecordingPlugin(events: events)])
        let token = provider.request(.zen) { [events] in
            events.append("completion")
            promise.fulfill($0)
        }
        for await _ in exchanges.prefix(1) { token.cancel() }
        #expect(try await promise.value.isCancelled)
        #expect(events.values == ["prepare", "willSend", "didReceive", "process", "completion"])
    }

    // MARK: Each caller's own

    @Test func eachCallerHasItsOwnQueue() async throws {
        let queues = [MarkedQueue("one"), MarkedQueue("two")]
        let places = Recorder<[Bool]>()
        let pair = await pair(
            queues: queues.map(\.queue), inside: { _ in places.append(queues.map(\.isCurrent)) })
        pair.exchange.answer()
        for result in pair.results { _ = try await result.value }
        #expect(Set(places.values) == [[true, false], [false, true]])
    }

    @Test func followerWithoutAQueueCompletesOnTheMainQueueForAnyLeader() async throws {
        let places = Recorder<Bool>()
        let pair = await pair(
            queues: [DispatchQueue(label: "leader"), nil], inside: { _ in places.append(MarkedQueue.main.isCurrent) })
        pair.exchange.answer()
        for result in pair.results { _ = try await result.value }
        #expect(places.values.filter { $0 }.count == 1)
    }

    @Test func cancelledCallerCompletesOnItsQueue() async throws {
        let places = Recorder<Bool>()
        let pair = await pair(inside: { _ in places.append(MarkedQueue.main.isCurrent) })
        pair.tokens[1].cancel()
        _ = try await pair.results[1].value
        #expect(places.values == [true])
    }

    @Test func eachCallerHasItsOwnProgress() async throws {
        let (one, other) = (Recorder<Double>(), Recorder<Double>())
        let pair = await pair(progress: [{ one.append($0.progress) }, { other.append($0.progress) }])
        pair.exchange.answer()
        for result in pair.results { _ = try await result.value }
        #expect(one.values == [1, 1] && other.values == [1, 1])
    }

    @Test func onlyFollowersProgressIsReportedWhenTheLeaderHasNone() async throws {
        let other = Recorder<Double>()
        let pair = await pair(progress: [nil, { other.append($0.progress) }])
        pair.exchange.answer()
        for result in pair.results { _ = try await result.value }
        #expect(other.values == [1, 1])
    }

    @Test(arguments: [0, 1]) func cancelledCallerEndsAlone(_ index: Int) async throws {
        let pair = await pair()
        pair.tokens[index].cancel()
        #expect(try await pair.results[index].value.isCancelled)
        pair.exchange.answer()
        #expect(try await pair.results[1 - index].value.text == "answer")
        #expect(pair.exchange.cancellations.count == 0)
    }

    @Test func callIsCancelledWhenItsLastCallerLeaves() async throws {
        let pair = await pair()
        for token in pair.tokens { token.cancel() }
        for result in pair.results { #expect(try await result.value.isCancelled) }
        #expect(pair.exchange.cancellations.count == 1)
        #expect(pair.provider.inflightRequests.isEmpty)
    }

    @Test func callerThatCancelsTwiceIsNotifiedOnce() async throws {
        let pair = await pair()
        for token in pair.tokens + pair.tokens { token.cancel() }
        for result in pair.results { _ = try await result.value }
        #expect(pair.order.values.sorted() == [0, 1])
    }

    @Test func callerThatCancelsInItsProgressCompletesAfterIt() async throws {
        let queue = DispatchQueue(label: "callbacks", attributes: .concurrent)
        let token = Lock<(any Cancellable)?>(nil)
        let completed = DispatchSemaphore(value: 0)
        let overlaps = Recorder<Bool>()
        let progress: SendableProgressBlock = { _ in
            guard let token = token.exchange(nil) else { return }
            token.cancel()
            overlaps.append(completed.wait(timeout: .now() + 0.2) == .success)
        }
        let pair = await pair(
            queues: [queue, queue], progress: [progress, nil], completed: { if $0 == 0 { completed.signal() } })
        token.set(pair.tokens[0])
        pair.exchange.answer()
        for result in pair.results { _ = try await result.value }
        #expect(overlaps.values == [false])
    }

    @Test func callerThatLeftIsNotCountedAmongTheCompletions() async {
        let pair = await pair()
        pair.tokens[0].cancel()
        #expect(pair.provider.inflightRequests.values.map(\.count) == [1])
    }
}

private struct Uploading: TargetType {
    let body: Data
    var baseURL: URL { URL(string: "https://example.com")! }
    var path: String { "" }
    var method: Moya.Method { .post }
    var task: RequestTask { .requestData(body) }
    var headers: [String: String]? { nil }
}
