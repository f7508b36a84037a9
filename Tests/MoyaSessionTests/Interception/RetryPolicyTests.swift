import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5))) struct RetryPolicyTests {
    /// Calls a policy and records its decision, but waits for nothing.
    private final class Impatient: RequestInterceptor {
        private let policy: RetryPolicy
        private let answers = Lock<[TimeInterval?]>([])

        init(_ policy: RetryPolicy) { self.policy = policy }

        /// The delays wanted; `nil` for no retry.
        var delays: [TimeInterval?] { answers.withLock { $0 } }

        func retry(
            _ request: Request, for session: Session, dueTo error: any Error,
            completion: @escaping @Sendable (RetryResult) -> Void
        ) {
            policy.retry(request, for: session, dueTo: error) { [self] result in
                if case .retryWithDelay(let delay) = result {
                    answers.withLock { $0.append(delay) }
                    completion(.retry)
                } else {
                    answers.withLock { $0.append(nil) }
                    completion(result)
                }
            }
        }
    }

    private func delays(_ policy: RetryPolicy, after answer: StubbedTransport.Answer, method: String = "GET") async
        -> [TimeInterval?]
    {
        let impatient = Impatient(policy)
        let session = Session.over(StubbedTransport(answer), interceptor: impatient)
        _ = await session.outcome(
            of: session.request(URLRequest.to("http://a.example/", method: method)).validate(statusCode: [200]))
        return impatient.delays
    }

    @Test func aRefusedRedirectToHTTPIsNotRepeated() async {
        let impatient = Impatient(RetryPolicy())
        let transport = StubbedTransport(.response(302, [("Location", "http://a.example/")]))
        let session = Session.over(transport, interceptor: impatient)
        let outcome = await session.request(URLRequest.to("https://a.example/")).outcome()
        #expect(outcome.error?.isSessionTaskError == true)
        #expect(impatient.delays == [nil])
        #expect(transport.requests.count == 1)
    }

    // MARK: The cache

    @Test func aCachedFailureDoesNotAnswerItsRetry() async {
        let transport = StubbedTransport(.response(503, [("Cache-Control", "max-age=60")]), .response(200))
        let session = Session(
            interceptor: RetryPolicy(retryLimit: 1, exponentialBackoffScale: 0), cache: .memory(), transport: transport)
        let outcome = await session.request(URLRequest.to("http://a.example/")).validate().outcome()
        #expect(outcome.head?.status == 200)
    }

    @Test func aCachedFailureAnswersNoLaterRetryEither() async {
        let transport = StubbedTransport(
            .response(503, [("Cache-Control", "max-age=60")]), .failure(.reset), .response(200))
        let session = Session(
            interceptor: RetryPolicy(retryLimit: 2, exponentialBackoffScale: 0), cache: .memory(), transport: transport)
        let outcome = await session.request(URLRequest.to("http://a.example/")).validate().outcome()
        #expect(outcome.head?.status == 200)
    }

    @Test func aRetryDoesNotReachAServerThatTheRequestExcludes() async {
        let transport = StubbedTransport(.response(503, [("Cache-Control", "max-age=60")]))
        let session = Session(
            interceptor: RetryPolicy(retryLimit: 2, exponentialBackoffScale: 0), cache: .memory(), transport: transport)
        var request = URLRequest.to("http://a.example/")
        _ = await session.request(request).outcome()
        request.setValue("only-if-cached", forHTTPHeaderField: "Cache-Control")
        #expect(await session.request(request).validate().outcome().head?.status == 503)
        #expect(transport.requests.count == 1)
    }

    @Test func theCachesOwnFailureIsNotRetried() async {
        let impatient = Impatient(RetryPolicy())
        let session = Session(interceptor: impatient, cache: .memory(), transport: StubbedTransport(.silence))
        var request = URLRequest.to("http://a.example/")
        request.setValue("only-if-cached", forHTTPHeaderField: "Cache-Control")
        #expect(await session.request(request).validate().outcome().head?.status == 504)
        #expect(impatient.delays == [nil])
    }

    // MARK: Waits

    @Test func theWaitsGrowUntilTheLimit() async {
        #expect(await delays(RetryPolicy(), after: .response(503)) == [0.5, 1, nil])
        #expect(await delays(RetryPolicy(retryLimit: 4), after: .response(503)) == [0.5, 1, 2, 4, nil])
    }

    @Test func baseAndScaleAreConfigurable() async {
        let policy = RetryPolicy(retryLimit: 3, exponentialBackoffBase: 3, exponentialBackoffScale: 2)
        #expect(await delays(policy, after: .response(503)) == [2, 6, 18, nil])
    }

    @Test(arguments: [0, 1] as [UInt])
    func aBaseThatWouldNotGrowIsTwo(base: UInt) async {
        let policy = RetryPolicy(exponentialBackoffBase: base)
        #expect(policy.exponentialBackoffBase == 2)
        #expect(await delays(policy, after: .response(503)) == [0.5, 1, nil])
    }

    @Test(arguments: [-1, Double.nan, -Double.infinity])
    func malformedScaleGivesNoWait(scale: Double) async {
        let policy = RetryPolicy(exponentialBackoffScale: scale)
        #expect(await delays(policy, after: .response(503)) == [0, 0, nil])
    }

    @Test func noWaitIsLongerThanADay() async {
        let policy = RetryPolicy(exponentialBackoffBase: .max, exponentialBackoffScale: .infinity)
        #expect(await delays(policy, after: .response(503)) == [86_400, 86_400, nil])
    }

    @Test func aLimitOfZeroRetriesNothing() async {
        #expect(await delays(RetryPolicy(retryLimit: 0), after: .response(503)) == [nil])
    }

    // MARK: Waits that the server requests

    @Test(arguments: [("7", 7.0), ("60", 60), ("0", 0.5)])
    func theServersWaitIsKept(value: String, delay: Double) async {
        let policy = RetryPolicy(retryLimit: 1)
        #expect(await delays(policy, after: .response(503, [("Retry-After", value)])) == [delay, nil])
    }

    @Test func theServersDateIsKept() async {
        let fields = [
            ("Date", "Sun, 06 Nov 1994 08:49:37 GMT"), ("Retry-After", "Sun, 06 Nov 1994 08:49:47 GMT"),
        ]
        #expect(await delays(RetryPolicy(retryLimit: 1), after: .response(503, fields)) == [10, nil])
    }

    @Test(arguments: ["61", "31536000000", "Fri, 31 Dec 9999 23:59:59 GMT"])
    func aWaitThatIsTooLongPreventsARetry(value: String) async {
        #expect(await delays(RetryPolicy(), after: .response(503, [("Retry-After", value)])) == [nil])
    }

    @Test func maximumRetryAfterIsConfigurable() async {
        let policy = RetryPolicy(retryLimit: 1, maximumRetryAfter: 3600)
        #expect(await delays(policy, after: .response(503, [("Retry-After", "3600")])) == [3600, nil])
    }

    @Test func ignoresAnUnreadableRetryAfter() async {
        let policy = RetryPolicy(retryLimit: 1)
        #expect(await delays(policy, after: .response(503, [("Retry-After", "soon")])) == [0.5, nil])
    }

    // MARK: What is retried

    @Test func retrierIsNotCalledForACancelledRequest() async {
        let impatient = Impatient(RetryPolicy())
        let session = Session.over(StubbedTransport(.silence), interceptor: impatient)
        let request = session.request(URLRequest.to("http://a.example/")).resume()
        request.cancel()
        _ = await session.outcome(of: request)
        #expect(impatient.delays.isEmpty)
    }

    @Test func onlyIdempotentMethodsAreRetried() async {
        let methods: [HTTPMethod] = [.connect, .delete, .get, .head, .options, .patch, .post, .put, .query, .trace]
        var retried: Set<HTTPMethod> = []
        for method in methods {
            let delays = await delays(RetryPolicy(), after: .response(503), method: method.rawValue)
            if delays.first == 0.5 { retried.insert(method) }
        }
        #expect(retried == [.delete, .get, .head, .options, .put, .query, .trace])
    }

    @Test func fiveStatusCodesAreRetried() async {
        let policy = RetryPolicy()
        var retried: [Int] = []
        for status in 100..<600 {
            let session = Session.over(StubbedTransport(.response(status)))
            let request = session.request(URLRequest.to("http://a.example/"))
            _ = await session.outcome(of: request)
            if policy.shouldRetry(request: request, dueTo: Refused()) { retried.append(status) }
        }
        #expect(retried == [408, 500, 502, 503, 504])
    }

    @Test(arguments: ["raw", "wrapped", "an NSError"])
    func eighteenCodesAreRetried(form: String) async {
        let session = Session.over(StubbedTransport(.response(200)))
        let request = session.request(URLRequest.to("http://a.example/"))
        _ = await session.outcome(of: request)
        let policy = RetryPolicy()
        var retried: [Int] = []
        for number in -4000..<4000 {
            let code: URLError.Code? = URLError.Code(rawValue: number)
            let error: any Error =
                switch (form, code) {
                case ("raw", let code?): URLError(code)
                case ("wrapped", let code?): SessionError.sessionTaskFailed(error: URLError(code))
                default: NSError(domain: NSURLErrorDomain, code: number)
                }
            if policy.shouldRetry(request: request, dueTo: error) { retried.append(number) }
        }
        #expect(
            retried.reversed() == [
                -996, -997, -1001, -1003, -1004, -1005, -1006, -1009, -1011, -1018, -1019, -1020, -1200, -1201, -1204,
                -2000, -3006, -3007,
            ])
    }

    @Test func anErrorOfAnotherDomainWithThatCodeIsNotRetried() async {
        let session = Session.over(StubbedTransport(.response(200)))
        let request = session.request(URLRequest.to("http://a.example/"))
        _ = await session.outcome(of: request)
        let error = NSError(domain: NSPOSIXErrorDomain, code: -1001)
        #expect(!RetryPolicy().shouldRetry(request: request, dueTo: error))
    }

    @Test func aRequestThatWasNeverMadeIsNotRetried() {
        let session = Session.over(StubbedTransport(.silence))
        let request = session.request(URLRequest.to("http://a.example/"))
        #expect(!RetryPolicy().shouldRetry(request: request, dueTo: URLError(.timedOut)))
    }

    @Test func aStatusOfAnEarlierAttemptIsNotRetried() async {
        let impatient = Impatient(RetryPolicy())
        let attempts = Lock(0)
        let failing = Intercepting(adapt: { request, completion in
            completion(attempts.add(1) == 1 ? .success(request) : .failure(Refused()))
        })
        let session = Session.over(
            StubbedTransport(.response(503)), interceptor: Interceptor(interceptors: [impatient, failing]))
        let request = session.request(URLRequest.to("http://a.example/")).validate()
        _ = await session.outcome(of: request)
        #expect(request.response?.statusCode == 503)
        #expect(impatient.delays == [0.5, nil])
    }

    @Test func aSubclassMayDecideByItself() async {
        final class Never: RetryPolicy, @unchecked Sendable {
            override func shouldRetry(request: Request, dueTo error: any Error) -> Bool { false }
        }
        #expect(await delays(Never(), after: .response(503)) == [nil])
    }

    // MARK: Lost connections

    @Test func retriesOnlyALostConnection() async {
        #expect(await delays(ConnectionLostRetryPolicy(), after: .failure(.reset)) == [0.5, 1, nil])
        #expect(await delays(ConnectionLostRetryPolicy(), after: .failure(.dns)) == [nil])
        #expect(await delays(ConnectionLostRetryPolicy(), after: .response(503)) == [nil])
    }

    // MARK: Names

    @Test func staticMembersMakePolicies() {
        let retriers: [any RequestRetrier] = [.retryPolicy, .retryPolicy(retryLimit: 3), .connectionLostRetryPolicy]
        let interceptors: [any RequestInterceptor] = [
            .retryPolicy, .retryPolicy(retryLimit: 3), .connectionLostRetryPolicy(retryLimit: 4),
        ]
        #expect(retriers.compactMap { ($0 as? RetryPolicy)?.retryLimit } == [2, 3, 2])
        #expect(interceptors.compactMap { ($0 as? RetryPolicy)?.retryLimit } == [2, 3, 4])
    }
}
