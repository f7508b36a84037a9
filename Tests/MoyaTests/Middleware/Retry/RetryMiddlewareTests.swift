import Foundation
import Moya
import MoyaSession
import MoyaTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct RetryMiddlewareTests {
    private struct Repeatable: RepeatableTarget {
        var isRepeatable: Bool
        var method = Moya.Method.post

        var baseURL: URL { URL(string: "https://api.example.com")! }
        var path: String { "" }
        var task: RequestTask { .requestPlain }
        var headers: [String: String]? { nil }
    }

    private let clock = TestClock()
    private let plain = RetryMiddleware(attempts: 3, backoff: .none)

    private func provider<Target: TargetType>(
        of _: Target.Type = API.self, _ transport: StepwiseTransport, _ retry: RetryMiddleware,
        deadlines: Deadlines = Deadlines()
    ) -> MoyaProvider<Target> {
        MoyaProvider(session: Session(transport: transport), middleware: [retry], deadlines: deadlines, clock: clock)
    }

    /// The number of attempts at a target when every answer has a status code.
    private func attempts(_ target: API, status: Int = 503, _ retry: RetryMiddleware? = nil) async -> Int {
        let transport = StepwiseTransport.answering(status)
        _ = try? await provider(transport, retry ?? plain).request(target)
        return transport.requests.count
    }

    /// Answers with a status code, and `Retry-After`.
    private static func unavailable(_ value: String, thenOK: Bool = true) -> StepwiseTransport {
        let count = Recorder<Void>()
        return StepwiseTransport { _, exchange in
            count.append(())
            let isFirst = count.count == 1 || !thenOK
            exchange.head(isFirst ? 503 : 200, isFirst ? ["Retry-After": value] : [:])
            exchange.end()
        }
    }

    // MARK: What

    @Test(arguments: [Moya.Method.get, .head, .options, .put, .delete, .trace, .query])
    func idempotentMethodIsRetried(_ method: Moya.Method) async {
        #expect(await attempts(API(method: method)) == 3)
    }

    @Test(arguments: [Moya.Method.post, .patch, Moya.Method(rawValue: "PURCHASE")])
    func otherMethodIsSentOnce(_ method: Moya.Method) async {
        #expect(await attempts(API(method: method)) == 1)
    }

    @Test func idempotencyKeyAllowsAPostAndIsTheSameEachTime() async {
        let transport = StepwiseTransport.answering(503)
        let target = API(method: .post, headers: ["Idempotency-Key": "k1"])
        _ = try? await provider(transport, plain).request(target)
        let keys = transport.requests.values.map { $0.fields.filter { $0.name == "Idempotency-Key" }.map(\.value) }
        #expect(keys == [["k1"], ["k1"], ["k1"]])
    }

    @Test func emptyIdempotencyKeyIsIgnored() async {
        #expect(await attempts(API(method: .post, headers: ["Idempotency-Key": ""])) == 1)
    }

    @Test(arguments: [(true, Moya.Method.post, 3), (false, .get, 1)])
    func targetOverridesTheRules(_ isRepeatable: Bool, _ method: Moya.Method, _ count: Int) async {
        let transport = StepwiseTransport.answering(503)
        let target = Repeatable(isRepeatable: isRepeatable, method: method)
        _ = try? await provider(of: Repeatable.self, transport, plain).request(target)
        #expect(transport.requests.count == count)
    }

    @Test func bodyThatIsAStreamIsSentOnce() async {
        let part = MultipartFormData(provider: .stream(InputStream(data: Data("a".utf8)), 1), name: "a")
        #expect(await attempts(API(method: .put, task: .uploadMultipart([part]))) == 1)
    }

    // MARK: When

    @Test func exactlyTransientStatusCodesAreRetried() async {
        var repeated: [Int] = []
        for status in 200...599 where ![204, 304].contains(status) {
            if await attempts(API(), status: status, RetryMiddleware(attempts: 2, backoff: .none)) == 2 {
                repeated.append(status)
            }
        }
        #expect(repeated == [408, 429, 500, 502, 503, 504])
    }

    @Test func statusCodeThatFailsValidationIsRetried() async {
        #expect(await attempts(API(validationType: .successCodes)) == 3)
    }

    @Test(arguments: [
        (TransportFailure.Kind.dns, 3), (.connect, 3), (.reset, 3), (.truncated, 3), (.timeout(.idle), 3),
        (.tls(.untrusted), 1), (.protocolViolation, 1), (.contentDecoding, 1), (.unsupported, 1), (.other, 1),
    ])
    func failureOfTheNetworkIsCalledAgain(_ kind: TransportFailure.Kind, _ count: Int) async {
        let transport = StepwiseTransport.failing(kind)
        await #expect(throws: MoyaError.self) { try await provider(transport, plain).request(API()) }
        #expect(transport.requests.count == count)
    }

    @Test func truncatedResponseIsRetried() async {
        let transport = StepwiseTransport { _, exchange in
            exchange.head(200, ["Content-Length": "100"])
            exchange.chunk(Data("half".utf8))
            exchange.end(TransportFailure(.truncated, message: "as scripted"))
        }
        await #expect(throws: MoyaError.self) { try await provider(transport, plain).request(API()) }
        #expect(transport.requests.count == 3)
    }

    @Test func stubbedNetworkFailureIsRetried() async {
        let count = Recorder<Void>()
        let provider = MoyaProvider<API>(
            endpointClosure: { target in
                Endpoint(
                    url: "https://api.example.com",
                    sampleResponseClosure: {
                        count.append(())
                        return .networkError(NSError(domain: NSURLErrorDomain, code: NSURLErrorTimedOut))
                    }, method: .get, task: .requestPlain, httpHeaderFields: nil)
            }, stubClosure: MoyaProvider.immediatelyStub, middleware: [plain], clock: clock)
        await #expect(throws: MoyaError.self) { try await provider.request(API()) }
        #expect(count.count == 3)
    }

    @Test func timedOutAttemptIsRetried() async throws {
        let (transport, exchanges) = StepwiseTransport.waiting()
        var sent = exchanges.makeAsyncIterator()
        let provider = provider(transport, plain, deadlines: Deadlines(attempt: .seconds(1)))
        let task = _Concurrency.Task { try await provider.request(API()) }
        for _ in 0..<3 {
            // Its time may begin to run before it is sent.
            _ = await sent.next()
            try await clock.waitForSleepers(1)
            clock.advance(by: .seconds(1))
        }
        #expect(Result<Response, MoyaError>.of(await task.result)?.error?.isTimeout == true)
        #expect(transport.requests.count == 3)
    }

    @Test func callThatSucceedsIsMadeOnce() async {
        #expect(await attempts(API(), status: 200) == 1)
    }

    @Test(arguments: [0, -1, 1])
    func fewerThanTwoAttemptsAreOne(_ attempts: Int) async {
        #expect(await self.attempts(API(), RetryMiddleware(attempts: attempts, backoff: .none)) == 1)
    }

    // MARK: Waiting

    @Test func waitsByTheBackoff() async throws {
        let retry = RetryMiddleware(attempts: 3, backoff: .exponential(base: .seconds(2), jitter: .none))
        let transport = StepwiseTransport.answering(503)
        let provider = provider(transport, retry)
        async let response = provider.request(API())
        for seconds in [2, 4] {
            try await clock.waitForSleepers(1)
            #expect(clock.untilNextSleeper == .seconds(seconds))
            clock.advanceToNextSleeper()
        }
        #expect(try await response.statusCode == 503)
    }

    @Test(arguments: ["7", "Sun, 09 Sep 2001 01:46:47 GMT"])
    func obeysRetryAfter(_ value: String) async throws {
        let clock = clock
        let retry = RetryMiddleware(backoff: .constant(.seconds(1)), now: { clock.date })
        let provider = provider(Self.unavailable(value), retry)
        async let response = provider.request(API())
        try await clock.waitForSleepers(1)
        #expect(clock.untilNextSleeper == .seconds(7))
        clock.advanceToNextSleeper()
        #expect(try await response.statusCode == 200)
    }

    @Test(arguments: ["0", "soon", "", "-5", "Sun, 06 Nov 1994 08:49:37 GMT", "1.5"])
    func waitsByTheBackoffWithoutRetryAfter(_ value: String) async throws {
        let provider = provider(Self.unavailable(value), RetryMiddleware(backoff: .constant(.seconds(3))))
        async let response = provider.request(API())
        try await clock.waitForSleepers(1)
        #expect(clock.untilNextSleeper == .seconds(3))
        clock.advanceToNextSleeper()
        #expect(try await response.statusCode == 200)
    }

    @Test(arguments: ["31556952000", "Sat, 21 Nov 3026 00:00:00 GMT", "61", String(repeating: "9", count: 400)])
    func tooLongRetryAfterEndsTheCall(_ value: String) async throws {
        let transport = Self.unavailable(value)
        #expect(try await provider(transport, RetryMiddleware(backoff: .none)).request(API()).statusCode == 503)
        #expect(transport.requests.count == 1)
    }

    @Test func waitBeyondTheDeadlineIsNotStarted() async throws {
        let transport = StepwiseTransport.answering(503)
        let provider = provider(
            transport, RetryMiddleware(backoff: .constant(.seconds(5))), deadlines: Deadlines(total: .seconds(5)))
        #expect(try await provider.request(API()).statusCode == 503)
        #expect(transport.requests.count == 1)
    }

    @Test func cancelledCallStopsWaiting() async throws {
        let transport = StepwiseTransport.answering(503)
        let provider = provider(transport, RetryMiddleware(backoff: .constant(.seconds(5))))
        let task = _Concurrency.Task { try await provider.request(API()) }
        try await clock.waitForSleepers(1)
        task.cancel()
        #expect(Result<Response, MoyaError>.of(await task.result)?.isCancelled == true)
        #expect(transport.requests.count == 1)
    }

    @Test func callCancelledInItsWaitReturnsItsRetry() async throws {
        let retry = RetryMiddleware(
            attempts: 2, backoff: .constant(.seconds(5)), budget: RetryBudget(ratio: 0, reserve: 1))
        let provider = provider(StepwiseTransport.answering(503), retry)
        for _ in 0..<3 {
            let task = _Concurrency.Task { try await provider.request(API()) }
            try await clock.waitForSleepers(1)
            task.cancel()
            #expect(Result<Response, MoyaError>.of(await task.result)?.isCancelled == true)
        }
    }

    // MARK: The cache

    @Test func cachedFailureDoesNotAnswerItsRetry() async throws {
        let transport = ScriptedTransport(.response(503, ["Cache-Control": "max-age=60"]), .response(200))
        let provider = MoyaProvider<API>(
            session: Session(cache: .memory(), transport: transport), middleware: [plain], clock: clock)
        #expect(try await provider.request(API()).statusCode == 200)
    }

    @Test func cachesOwnFailureIsNotRetried() async throws {
        let session = Session(cache: .memory(), transport: ScriptedTransport(.silence))
        let provider = MoyaProvider<API>(
            session: session, middleware: [RetryMiddleware(backoff: .constant(.seconds(5)))], clock: clock)
        let response = try await provider.request(API(headers: ["Cache-Control": "only-if-cached"]))
        #expect(response.statusCode == 504)
    }

    @Test func seededGeneratorMakesTheSameWaitsAgain() async throws {
        func waits() async throws -> [Duration] {
            let clock = TestClock()
            let provider = MoyaProvider<API>(
                session: Session(transport: StepwiseTransport.answering(503)),
                middleware: [RetryMiddleware(attempts: 4, generator: SeededGenerator(seed: 15))], clock: clock)
            async let response = provider.request(API())
            var waits: [Duration] = []
            for _ in 0..<3 {
                try await clock.waitForSleepers(1)
                waits.append(clock.untilNextSleeper ?? .zero)
                clock.advanceToNextSleeper()
            }
            _ = try await response
            return waits
        }
        let first = try await waits()
        #expect(try await waits() == first)
        #expect(Set(first).count == 3)
    }

    // MARK: The budget

    @Test func spentBudgetEndsTheCall() async {
        let budget = RetryBudget(ratio: 0, reserve: 1)
        #expect(await attempts(API(), RetryMiddleware(backoff: .none, budget: budget)) == 2)
        #expect(await attempts(API(), RetryMiddleware(backoff: .none, budget: budget)) == 1)
    }

    @Test func eachFailedCallEarnsATenthOfARetry() async {
        let transport = StepwiseTransport.answering(503)
        let provider = provider(transport, RetryMiddleware(attempts: 5, backoff: .none))
        for _ in 0..<1_000 { _ = try? await provider.request(API()) }
        #expect(transport.requests.count == 1_100)
    }
}
