import Foundation
import Moya
import MoyaTesting
import Testing

/// A call that is cancelled after its response arrived and before its caller has it ends as cancelled.
@Suite struct LateCancellationTests {
    private let events = Recorder<String>()
    private let queue = DispatchQueue(label: "callbacks")

    private var plugin: RecordingPlugin {
        RecordingPlugin(
            events: events, onReceive: { [events] in events.append($0.isCancelled ? "cancelled" : "answered") })
    }

    enum Form: CaseIterable, Sendable {
        case plain, withPlugin, tracked, middleware, middlewareAndTracked

        var middleware: [any MoyaMiddleware] {
            self == .middleware || self == .middlewareAndTracked ? [ClosureMiddleware.waiting(.zero)] : []
        }
        var isTracked: Bool { self == .tracked || self == .middlewareAndTracked }
    }

    private func provider(_ transport: StepwiseTransport, _ form: Form, stub: StubBehavior = .never) -> MoyaProvider<
        GitHub
    > {
        MoyaProvider(
            stubClosure: { _ in stub }, session: Session(transport: transport), middleware: form.middleware,
            plugins: form == .plain ? [] : [plugin], trackInflights: form.isTracked)
    }

    @Test(arguments: Form.allCases, [true, false])
    func responseThatWaitsForItsQueueIsDropped(_ form: Form, _ deliversWhereCodeMayBlock: Bool) async throws {
        let started = Promise<ScriptedExchange>()
        let transport = StepwiseTransport(deliversWhereCodeMayBlock: deliversWhereCodeMayBlock) {
            started.fulfill($1)
        }
        let provider = provider(transport, form)
        let (results, ended) = (Recorder<Result<Response, MoyaError>>(), Promise<Void>())
        queue.suspend()
        let token = provider.request(.zen, callbackQueue: queue) {
            results.append($0)
            ended.fulfill(())
        }
        let exchange = try await started.value
        exchange.answer()
        await exchange.delivered()
        token.cancel()
        queue.resume()
        try await ended.value
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        #expect(results.values.map(\.isCancelled) == [true])
        #expect(provider.inflightRequests.isEmpty)
    }

    @Test(.timeLimit(.minutes(3)), arguments: [Form.tracked, .middlewareAndTracked])
    func callerDoesNotWaitForTheQueueOfOneThatLeft(_ form: Form) async throws {
        let (transport, exchanges) = StepwiseTransport.waiting()
        let provider = provider(transport, form)
        let leader = DispatchQueue(label: "leader")
        let (first, second) = (Promise<Result<Response, MoyaError>>(), Promise<Result<Response, MoyaError>>())
        leader.suspend()
        let token = provider.request(.zen, callbackQueue: leader) { first.fulfill($0) }
        provider.request(.zen, callbackQueue: DispatchQueue(label: "follower")) { second.fulfill($0) }
        token.cancel()
        for await exchange in exchanges.prefix(1) { exchange.answer() }
        #expect(try await second.value.text == "answer")
        leader.resume()
        #expect(try await first.value.isCancelled)
    }

    @Test(.timeLimit(.minutes(3))) func callerDoesNotWaitForTheQueuesOfSeveralThatLeft() async throws {
        let (transport, exchanges) = StepwiseTransport.waiting()
        let provider = provider(transport, .tracked)
        let queues = ["leader", "next", "last"].map { DispatchQueue(label: $0) }
        let ends = queues.map { _ in Promise<Result<Response, MoyaError>>() }
        queues.prefix(2).forEach { $0.suspend() }
        let tokens = queues.indices.map { index in
            provider.request(.zen, callbackQueue: queues[index]) { ends[index].fulfill($0) }
        }
        tokens.prefix(2).forEach { $0.cancel() }
        for await exchange in exchanges.prefix(1) { exchange.answer() }
        #expect(try await ends[2].value.text == "answer")
        queues.prefix(2).forEach { $0.resume() }
        for end in ends.prefix(2) { #expect(try await end.value.isCancelled) }
    }

    @Test(.timeLimit(.minutes(3))) func callerDoesNotWaitForTheProgressClosureOfOneThatLeaves() async throws {
        let (transport, exchanges) = StepwiseTransport.waiting()
        let provider = provider(transport, .tracked)
        let (leader, follower) = (DispatchQueue(label: "leader"), DispatchQueue(label: "follower"))
        let (first, second) = (Promise<Result<Response, MoyaError>>(), Promise<Result<Response, MoyaError>>())
        let (hasBegun, mayEnd) = (Promise<Void>(), DispatchSemaphore(value: 0))
        leader.suspend()
        let token = provider.request(
            .zen, callbackQueue: leader,
            progress: { _ in
                hasBegun.fulfill(())
                mayEnd.wait()
            }, completion: { first.fulfill($0) })
        provider.request(.zen, callbackQueue: follower) { second.fulfill($0) }
        for await exchange in exchanges.prefix(1) {
            exchange.answer()
            await exchange.delivered()
        }
        leader.resume()
        try await hasBegun.value
        token.cancel()
        #expect(try await second.value.text == "answer")
        mayEnd.signal()
        mayEnd.signal()
        #expect(try await first.value.isCancelled)
    }

    @Test func endThatWaitsForTheQueueOfOneThatLeftComesOnTheNextQueue() async throws {
        let (transport, exchanges) = StepwiseTransport.waiting()
        let provider = provider(transport, .tracked)
        let (leader, follower) = (DispatchQueue(label: "leader"), DispatchQueue(label: "follower"))
        let key = DispatchSpecificKey<Bool>()
        follower.setSpecific(key: key, value: true)
        let (first, second) = (Promise<Result<Response, MoyaError>>(), Promise<Bool>())
        leader.suspend()
        let token = provider.request(.zen, callbackQueue: leader) { first.fulfill($0) }
        provider.request(.zen, callbackQueue: follower) { _ in
            second.fulfill(DispatchQueue.getSpecific(key: key) == true)
        }
        for await exchange in exchanges.prefix(1) {
            exchange.answer()
            await exchange.delivered()
        }
        token.cancel()
        #expect(try await second.value)
        leader.resume()
        #expect(try await first.value.isCancelled)
    }

    /// The follower's end waits for its queue when the call is over.
    @Test func callerCancelledBehindTheEndIsProcessedOnce() async throws {
        let (transport, exchanges) = StepwiseTransport.waiting()
        let provider = provider(transport, .tracked)
        let queues = ["leader", "follower"].map { DispatchQueue(label: $0) }
        let ends = queues.map { _ in Promise<Result<Response, MoyaError>>() }
        let tokens = queues.indices.map { index in
            provider.request(.zen, callbackQueue: queues[index]) { ends[index].fulfill($0) }
        }
        queues[1].suspend()
        for await exchange in exchanges.prefix(1) { exchange.answer() }
        _ = try await ends[0].value
        await withCheckedContinuation { continuation in queues[0].async { continuation.resume() } }
        tokens[1].cancel()
        queues[1].resume()
        #expect(try await ends[1].value.isCancelled)
        await withCheckedContinuation { continuation in queues[1].async { continuation.resume() } }
        #expect(events.values.filter { $0 == "process" }.count == 2)
    }

    @Test(arguments: [StubBehavior.immediate, .delayed(seconds: 0)], [Form.plain, .withPlugin, .tracked])
    func stubThatWaitsForItsQueueIsDropped(_ stub: StubBehavior, _ form: Form) async throws {
        let provider = provider(.answering(), form, stub: stub)
        let ended = Promise<Result<Response, MoyaError>>()
        queue.suspend()
        let token = provider.request(.zen, callbackQueue: queue) { ended.fulfill($0) }
        token.cancel()
        queue.resume()
        #expect(try await ended.value.isCancelled)
    }

    @Test func pluginsReceiveOnlyTheCancellation() async throws {
        let provider = provider(.answering(), .withPlugin, stub: .immediate)
        let ended = Promise<Void>()
        queue.suspend()
        let token = provider.request(
            .zen, callbackQueue: queue,
            progress: { [events] in events.append($0.completed ? "final progress" : "progress") },
            completion: { [events] _ in
                events.append("completion")
                ended.fulfill(())
            })
        token.cancel()
        queue.resume()
        try await ended.value
        #expect(
            events.values == [
                "prepare", "willSend", "didReceive", "cancelled", "progress", "process", "completion",
            ])
    }

    /// User code that runs on the queue before the completion.
    enum Moment: CaseIterable, Sendable { case didReceive, progress, process }

    @Test(arguments: Moment.allCases, [Form.withPlugin, .tracked])
    func cancellingBeforeTheCompletionCountsUntilItRuns(_ moment: Moment, _ form: Form) async throws {
        let token = Recorder<any Cancellable>()
        let cancel: @Sendable (Moment) -> Void = { if $0 == moment { token.values.first?.cancel() } }
        let plugin = RecordingPlugin(
            onReceive: { _ in cancel(.didReceive) },
            onProcess: {
                cancel(.process)
                return $0
            })
        let provider = MoyaProvider<GitHub>(
            stubClosure: MoyaProvider.immediatelyStub, plugins: [plugin], trackInflights: form.isTracked)
        let results = Recorder<Result<Response, MoyaError>>()
        let ended = Promise<Void>()
        queue.suspend()
        token.append(
            provider.request(
                .zen, callbackQueue: queue, progress: { if $0.completed { cancel(.progress) } },
                completion: {
                    results.append($0)
                    ended.fulfill(())
                }))
        queue.resume()
        try await ended.value
        #expect(results.values.map(\.isCancelled) == [true])
        token.removeAll()
    }

    @Test(arguments: [Form.plain, .tracked, .middleware])
    func pendingProgressIsDroppedWithTheCall(_ form: Form) async throws {
        let (transport, exchanges) = StepwiseTransport.waiting()
        let provider = provider(transport, form)
        let (progress, ended) = (Recorder<Double>(), Promise<Void>())
        queue.suspend()
        let token = provider.request(
            .zen, callbackQueue: queue, progress: { progress.append($0.progress) },
            completion: { _ in ended.fulfill(()) })
        for await exchange in exchanges.prefix(1) {
            exchange.head(200, ["Content-Length": "4"])
            exchange.chunk(Data("ab".utf8))
            exchange.chunk(Data("c".utf8))
            await exchange.delivered()
        }
        token.cancel()
        queue.resume()
        try await ended.value
        // The last event, which every call has, has the final progress of this one.
        #expect(progress.values == [0.75])
    }

    // MARK: Coalesced calls

    @Test(arguments: [0, 1], [Form.tracked, .middlewareAndTracked])
    func eachCallerOfASharedCallIsCancelledAlone(_ index: Int, _ form: Form) async throws {
        let (transport, exchanges) = StepwiseTransport.waiting()
        let provider = provider(transport, form)
        let queues = ["leader", "follower"].map { DispatchQueue(label: $0) }
        let ends = queues.map { _ in Promise<Result<Response, MoyaError>>() }
        let tokens = queues.indices.map { index in
            provider.request(.zen, callbackQueue: queues[index]) { ends[index].fulfill($0) }
        }
        for await exchange in exchanges.prefix(1) {
            queues[index].suspend()
            exchange.answer()
            await exchange.delivered()
        }
        tokens[index].cancel()
        queues[index].resume()
        #expect(try await ends[index].value.isCancelled)
        #expect(try await ends[1 - index].value.text == "answer")
    }

    @Test func completionMayCancelTheCallerAfterIt() async throws {
        let (transport, exchanges) = StepwiseTransport.waiting()
        let provider = provider(transport, .tracked)
        let tokens = Recorder<any Cancellable>()
        let (first, second) = (Promise<Result<Response, MoyaError>>(), Promise<Result<Response, MoyaError>>())
        tokens.append(
            provider.request(.zen, callbackQueue: queue) {
                tokens.values.last?.cancel()
                first.fulfill($0)
            })
        tokens.append(provider.request(.zen, callbackQueue: queue) { second.fulfill($0) })
        for await exchange in exchanges.prefix(1) { exchange.answer() }
        #expect(try await first.value.text == "answer")
        #expect(try await second.value.isCancelled)
        tokens.removeAll()
    }

    // MARK: Subscriptions

    @Test func cancelledSubscriptionReceivesNothing() async {
        let provider = provider(.answering(), .withPlugin, stub: .immediate)
        let heard = Recorder<String>()
        queue.suspend()
        let subscription = provider.responses(of: .zen, callbackQueue: queue).subscription { event, _ in
            heard.append("\(event)")
        }
        subscription.request(1)
        subscription.cancel()
        queue.resume()
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        #expect(heard.values == [])
        #expect(events.values == ["prepare", "willSend", "didReceive", "cancelled", "process"])
    }

    // MARK: Awaited calls

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test(arguments: Form.allCases)
    func taskCancelledBeforeItResumesIsCancelled(_ form: Form) async throws {
        let (transport, exchanges) = StepwiseTransport.waiting()
        let provider = provider(transport, form)
        let executor = HeldExecutor()
        let task = _Concurrency.Task(executorPreference: executor) { () async -> Result<Response, MoyaError> in
            do throws(MoyaError) { return .success(try await provider.request(.zen)) } catch { return .failure(error) }
        }
        try await executor.arrival()
        await executor.run()
        for await exchange in exchanges.prefix(1) { exchange.answer() }
        try await executor.arrival()
        task.cancel()
        executor.open()
        #expect(await task.value.isCancelled)
    }
}
