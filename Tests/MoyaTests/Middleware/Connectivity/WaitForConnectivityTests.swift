import Foundation
import Moya
import MoyaTesting
import MoyaTransport
import Testing

@Suite struct WaitForConnectivityTests {
    private struct Broken: Error {}

    private let clock = TestClock()
    private let transport = StepwiseTransport.answering()

    private func provider(
        online: some AsyncSequence<Bool, any Error> & Sendable, limit: Duration? = .seconds(60),
        deadlines: Deadlines = Deadlines()
    ) -> MoyaProvider<API> {
        MoyaProvider(
            session: Session(transport: transport),
            middleware: [WaitForConnectivity(online: online, waitingAtMost: limit)],
            deadlines: deadlines, clock: clock)
    }

    private typealias Online = AsyncThrowingStream<Bool, any Error>

    private func switched() -> (Online, Online.Continuation) {
        let (stream, continuation) = Online.makeStream()
        return (stream, continuation)
    }

    private func end(_ task: _Concurrency.Task<Response, any Error>) async -> Result<Response, MoyaError>? {
        Result<Response, MoyaError>.of(await task.result)
    }

    private func offlineError(_ end: Result<Response, MoyaError>?) -> OfflineError? {
        guard case .underlying(let error, nil)? = end?.error else { return nil }
        return error as? OfflineError
    }

    @Test(.timeLimit(.minutes(3))) func pluginsOfWokenCallsRunAtTheSameTime() async throws {
        let inside = Lock(0)
        let both = DispatchSemaphore(value: 0)
        let plugin = RecordingPlugin(onProcess: { result in
            if inside.add(1) == 2 { for _ in 0..<2 { both.signal() } }
            both.wait()
            return result
        })
        let (online, tell) = switched()
        let provider = MoyaProvider<API>(
            session: Session(transport: transport), middleware: [WaitForConnectivity(online: online)],
            plugins: [plugin], clock: clock)
        async let one = provider.request(API())
        async let other = provider.request(API())
        try await clock.waitForSleepers(2)
        tell.yield(true)
        _ = try await (one, other)
    }

    /// A sequence that tells the priority of its reader.
    private struct PriorityReading: AsyncSequence, Sendable {
        struct Iterator: AsyncIteratorProtocol {
            let seen: Promise<TaskPriority>
            var isOver = false

            mutating func next() async throws -> Bool? {
                if isOver { return nil }
                isOver = true
                seen.fulfill(_Concurrency.Task.currentPriority)
                return true
            }
        }

        let seen: Promise<TaskPriority>

        func makeAsyncIterator() -> Iterator { Iterator(seen: seen) }
    }

    @Test func theReadingHasNotThePriorityOfTheFirstCall() async throws {
        let seen = Promise<TaskPriority>()
        let provider = MoyaProvider<API>(
            session: Session(transport: transport),
            middleware: [WaitForConnectivity(online: PriorityReading(seen: seen))])
        let call = _Concurrency.Task(priority: .background) { try await provider.request(API()) }
        #expect(try await seen.value >= .medium)
        _ = try await call.value
    }

    @Test func callIsMadeAtOnceWhileOnline() async throws {
        let (online, tell) = switched()
        tell.yield(true)
        #expect(try await provider(online: online).request(API()).statusCode == 200)
    }

    @Test(.timeLimit(.minutes(1)), arguments: [Duration.zero, .seconds(-1)])
    func aLimitThatIsNotPositiveOnlyChecksByTheDefaultClock(_ limit: Duration) async {
        let provider = MoyaProvider<API>(
            session: Session(transport: transport),
            middleware: [WaitForConnectivity(online: switched().0, waitingAtMost: limit)])
        let end = await end(_Concurrency.Task { try await provider.request(API()) })
        guard case .stillOffline(after: limit)? = offlineError(end) else {
            Issue.record("\(String(describing: end))")
            return
        }
    }

    @Test(.timeLimit(.minutes(1)), arguments: [Duration.zero, .seconds(-1)])
    func aCheckReadsTheFirstElement(_ limit: Duration) async throws {
        let (online, tell) = switched()
        let provider = provider(online: online, limit: limit)
        async let response = provider.request(API())
        try await clock.waitForSleepers(1)
        tell.yield(true)
        #expect(try await response.statusCode == 200)
        #expect(transport.requests.count == 1)
    }

    @Test(.timeLimit(.minutes(1)))
    func aCheckEndsOnceTheFirstElementIsFalse() async throws {
        let (online, tell) = switched()
        let provider = provider(online: online, limit: .zero)
        tell.yield(false)
        for _ in 0..<2 {
            let end = await end(_Concurrency.Task { try await provider.request(API()) })
            guard case .stillOffline(after: Duration.zero)? = offlineError(end) else {
                Issue.record("\(String(describing: end))")
                return
            }
        }
        #expect(transport.requests.count == 0)
    }

    @Test(.timeLimit(.minutes(1)))
    func aCheckOfASequenceThatNeverYieldsEndsAfterASecond() async throws {
        let (online, tell) = switched()
        let provider = provider(online: online, limit: .zero)
        let task = _Concurrency.Task { try await provider.request(API()) }
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        guard case .stillOffline(after: Duration.zero)? = offlineError(await end(task)) else {
            Issue.record("no limit")
            return
        }
        tell.finish()
    }

    @Test func callWaitsUntilOnline() async throws {
        let (online, tell) = switched()
        let provider = provider(online: online)
        tell.yield(false)
        async let response = provider.request(API())
        try await clock.waitForSleepers(1)
        #expect(transport.requests.count == 0)
        tell.yield(true)
        #expect(try await response.statusCode == 200)
        #expect(transport.requests.count == 1)
    }

    @Test func aSequenceThatNeverPausesIsReadUntilTheMiddlewareIsReleased() async throws {
        let reads = Recorder<Void>()
        let ended = Promise<Void>()
        final class Watched: Sendable {
            let ended: Promise<Void>
            init(_ ended: Promise<Void>) { self.ended = ended }
            deinit { ended.fulfill(()) }
        }
        do {
            let watched = Watched(ended)
            let online = AsyncThrowingStream<Bool, any Error>(unfolding: {
                reads.append(())
                return withExtendedLifetime(watched) { true }
            })
            _ = try await provider(online: online).request(API())
        }
        try await ended.value
        #expect(reads.count > 0)
    }

    @Test func callsWaitAgainOnceOffline() async throws {
        let (goingOffline, comingBack) = (Gate(), Gate())
        let online = AsyncThrowingStream<Bool, any Error>(unfolding: { [told = Recorder<Bool>()] in
            // Events recorded before count from the moment that the next is requested.
            if told.count == 1 { try await goingOffline.wait() }
            if told.count == 2 { try await comingBack.wait() }
            told.append(told.count != 1)
            return told.values.last
        })
        let provider = provider(online: online)
        _ = try await provider.request(API())
        goingOffline.open()
        try await comingBack.waitForArrivals(1)
        let task = _Concurrency.Task { try await provider.request(API(path: "/second")) }
        try await clock.waitForSleepers(1)
        #expect(!transport.requests.values.contains { $0.url.hasSuffix("second") })
        comingBack.open()
        #expect(await end(task)?.response?.statusCode == 200)
    }

    @Test func fiveHundredCallsAreMadeOnceAndInOrderAfterTenSecondsOffline() async throws {
        let (online, tell) = switched()
        let provider = provider(online: online)
        let ends = Promise<Int?>()
        for number in 0..<500 {
            provider.request(API(path: "/\(number)"), callbackQueue: .global()) {
                ends.fulfill($0.response?.statusCode)
            }
        }
        try await clock.waitForSleepers(500)
        clock.advance(by: .seconds(10))
        #expect(transport.requests.count == 0)
        tell.yield(true)
        for _ in 0..<500 { #expect(try await ends.value == 200) }
        #expect(transport.requests.values.map(\.url) == (0..<500).map { "https://api.example.com/\($0)" })
    }

    @Test func callsCancelledWhileTheyWaitAreNeverMade() async throws {
        let (online, tell) = switched()
        let provider = provider(online: online)
        let ends = Promise<Bool>()
        let calls = (0..<500).map { number in
            provider.request(API(path: "/\(number)"), callbackQueue: .global()) { ends.fulfill($0.isCancelled) }
        }
        try await clock.waitForSleepers(500)
        for (number, call) in calls.enumerated() where !number.isMultiple(of: 2) { call.cancel() }
        for _ in 0..<250 { #expect(try await ends.value) }
        tell.yield(true)
        for _ in 0..<250 { #expect(try await ends.value == false) }
        #expect(
            transport.requests.values.map(\.url)
                == stride(from: 0, to: 500, by: 2).map { "https://api.example.com/\($0)" })
        try await clock.waitForNoSleepers()
    }

    @Test func sequenceThatNeverYieldsIsBounded() async throws {
        let (online, tell) = switched()
        let provider = provider(online: online, limit: .seconds(30))
        let task = _Concurrency.Task { try await provider.request(API()) }
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(30))
        guard case .stillOffline(after: .seconds(30))? = offlineError(await end(task)) else {
            Issue.record("no limit")
            return
        }
        tell.finish()
    }

    @Test func waitEndsAtTheTotalDeadlineOfTheCall() async throws {
        let (online, tell) = switched()
        let provider = provider(online: online, limit: nil, deadlines: Deadlines(total: .seconds(2)))
        let task = _Concurrency.Task { try await provider.request(API()) }
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(2))
        #expect(await end(task)?.error?.isTimeout == true)
        tell.finish()
    }

    @Test(.timeLimit(.minutes(1)), arguments: [[], [false], [true, false]])
    func sequenceThatEndsWithoutANetworkFailsTheCalls(_ elements: [Bool]) async {
        let (online, tell) = switched()
        for element in elements { tell.yield(element) }
        tell.finish()
        let provider = provider(online: online, limit: nil)
        var result = await end(_Concurrency.Task { try await provider.request(API()) })
        // The first element may have been read, and the last not yet.
        while elements.first == true, offlineError(result) == nil {
            result = await end(_Concurrency.Task { try await provider.request(API()) })
        }
        guard case .sequenceEnded? = offlineError(result) else {
            Issue.record("the call did not fail")
            return
        }
    }

    @Test func sequenceThatEndsWithANetworkLetsCallsPassForever() async throws {
        let (online, tell) = switched()
        tell.yield(true)
        tell.finish()
        let provider = provider(online: online, limit: nil)
        for _ in 0..<3 { #expect(try await provider.request(API()).statusCode == 200) }
    }

    @Test func sequenceThatThrowsFailsWaitingAndLaterCalls() async throws {
        let (online, tell) = switched()
        let provider = provider(online: online)
        let task = _Concurrency.Task { try await provider.request(API()) }
        try await clock.waitForSleepers(1)
        tell.finish(throwing: Broken())
        guard case .sequenceFailed(let error)? = offlineError(await end(task)) else {
            Issue.record("the call that waited did not fail")
            return
        }
        #expect(error is Broken)
        let next = await end(_Concurrency.Task { try await provider.request(API()) })
        #expect(offlineError(next) != nil)
        #expect(transport.requests.count == 0)
    }

    @Test(arguments: [
        OfflineError.stillOffline(after: .seconds(1)), .sequenceEnded, .sequenceFailed(Broken()),
    ])
    func errorStatesThatTheCallWasNotMade(_ error: OfflineError) {
        #expect(error.errorDescription?.hasPrefix("The call was not made") == true)
    }

    @Test func errorAfterTheWaitNamesBothLabels() {
        let text = OfflineError.stillOffline(after: .seconds(1)).errorDescription ?? ""
        #expect(text.contains("waitingAtMost: of WaitForConnectivity"))
        #expect(text.contains("atMost: of .waitForConnectivity"))
    }

    @Test func errorOfTheSequenceEndsInOneFullStop() {
        let cause = DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "Not JSON."))
        let text = OfflineError.sequenceFailed(cause).errorDescription ?? ""
        #expect(text.hasSuffix(".") && !text.hasSuffix(".."))
    }

    @Test func releasedMiddlewareStopsReading() async throws {
        let stopped = Promise<Void>()
        let (online, tell) = switched()
        tell.onTermination = { _ in stopped.fulfill(()) }
        tell.yield(true)
        do {
            let provider = provider(online: online)
            _ = try? await provider.request(API())
        }
        try await stopped.value
    }
}
