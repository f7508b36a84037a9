import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The actions after a failure, and the order of the retriers.
@Suite struct RequestAttemptsTests {
    private static let url = "http://a.example/"

    private static func logging(
        _ name: String, in log: Recorded<String>, _ answer: RetryResult = .doNotRetry
    ) -> Intercepting {
        Intercepting(
            adapt: { request, completion in
                log.add("adapt \(name)")
                completion(.success(request))
            },
            retry: { _, _, completion in
                log.add("retry \(name)")
                completion(answer)
            })
    }

    @Test func theSessionsInterceptorsRunBeforeTheRequests() async {
        let log = Recorded<String>()
        let session = Session.over(
            StubbedTransport(.failure(.reset)), interceptor: Self.logging("session", in: log))
        let request = session.request(URLRequest.to(Self.url), interceptor: Self.logging("request", in: log))
        #expect(await request.outcome().error?.transportFailure?.kind == .reset)
        #expect(log.all == ["adapt session", "adapt request", "retry session", "retry request"])
    }

    @Test func theFirstRetrierWithADecisionDecides() async {
        let log = Recorded<String>()
        let session = Session.over(
            StubbedTransport(.failure(.reset)),
            interceptor: Self.logging("session", in: log, .doNotRetryWithError(Refused())))
        let request = session.request(URLRequest.to(Self.url), interceptor: Self.logging("request", in: log, .retry))
        let error = await request.outcome().error
        guard case .requestRetryFailed(let retryError, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(retryError is Refused)
        #expect(!log.all.contains("retry request"))
    }

    @Test func anAdapterThatFailsStopsTheOthers() async {
        let log = Recorded<String>()
        let failing = Intercepting(adapt: { _, completion in completion(.failure(Refused())) })
        let session = Session.over(StubbedTransport(.response(200)), interceptor: failing)
        let request = session.request(URLRequest.to(Self.url), interceptor: Self.logging("request", in: log))
        let error = await request.outcome().error
        #expect(error?.isRequestAdaptationError == true && error?.underlyingError is Refused)
        #expect(log.all == ["retry request"])
    }

    @Test func aFailedAdaptationMayBeRetried() async {
        let transport = StubbedTransport(.response(200))
        let tries = Lock(0)
        let interceptor = Intercepting(
            adapt: { request, completion in
                let isFirst = tries.add(1) == 1
                completion(isFirst ? .failure(Refused()) : .success(request))
            },
            retry: { _, _, completion in completion(.retry) })
        let session = Session.over(transport, interceptor: interceptor)
        let request = session.request(URLRequest.to(Self.url))
        #expect(await request.outcome().error == nil)
        #expect(request.retryCount == 1 && transport.requests.count == 1)
    }

    @Test func aRequestThatCannotBeMadeMayBeRetried() async {
        let asked = Recorded<any Error>()
        let interceptor = Intercepting(retry: { _, error, completion in
            asked.add(error)
            completion(.doNotRetry)
        })
        let session = Session.over(StubbedTransport(.response(200)), interceptor: interceptor)
        _ = await session.request("http://a b/").outcome()
        #expect((asked.all.first as? SessionError)?.isInvalidURLError == true)
    }

    @Test func aBodyThatCannotBeMadeMayBeRetried() async {
        let asked = Recorded<any Error>()
        let interceptor = Intercepting(retry: { _, error, completion in
            asked.add(error)
            completion(.doNotRetry)
        })
        let session = Session.over(StubbedTransport(.response(200)), interceptor: interceptor)
        _ = await session.upload(URL(fileURLWithPath: "/nowhere/at.all"), to: Self.url).outcome()
        #expect(asked.count == 1)
    }

    @Test func aBodyInAGETIsRefusedWithTheBody() async {
        let transport = StubbedTransport(.response(200))
        let session = Session.over(transport)
        let error = await session.request(URLRequest.to(Self.url, body: "abc")).outcome().error
        guard case .urlRequestValidationFailed(.bodyDataInGETRequest(let data)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(data == Data("abc".utf8))
        #expect(transport.requests.isEmpty)
    }

    @Test func aBodyThatAnAdapterAddsToAGETIsAnAdaptationError() async {
        let interceptor = Intercepting(adapt: { request, completion in
            var adapted = request
            adapted.httpBody = Data("abc".utf8)
            completion(.success(adapted))
        })
        let session = Session.over(StubbedTransport(.response(200)), interceptor: interceptor)
        let error = await session.request(URLRequest.to(Self.url)).outcome().error
        guard case .requestAdaptationFailed(let inner) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect((inner as? SessionError)?.isURLRequestValidationError == true)
    }

    @Test func aRetryDiscardsTheResultOfTheAttempt() async {
        let transport = SteppedTransport()
        let session = Session.over(transport, interceptor: Intercepting.retrying(1))
        let request = session.request(URLRequest.to(Self.url)).validate(statusCode: [200]).resume()
        transport.exchanges[0].respond(503, [], "sorry")
        #expect(request.retryCount == 1)
        #expect(request.data == nil && request.response == nil && request.error == nil)
        transport.exchanges[1].end(.connect)
        let outcome = await request.outcome()
        #expect(outcome.data == nil && outcome.head == nil)
        #expect(outcome.error?.transportFailure?.kind == .connect)
    }

    @Test func aRetriedDownloadForgetsTheFileOfTheAttempt() async throws {
        let directory = try TestDirectory()
        let target = directory.url.appendingPathComponent("file")
        let transport = SteppedTransport()
        let session = Session.over(transport, interceptor: Intercepting.retrying(1))
        let download = session.download(URLRequest.to(Self.url)) { _, _ in (target, []) }
        download.validate(statusCode: [200]).resume()
        transport.exchanges[0].respond(503, [], "sorry")
        transport.exchanges[1].end(.connect)
        let response = await download.answered()
        #expect(response.fileURL == nil)
        #expect(download.fileURL == nil)
    }

    @Test func validatorsHoldForEveryAttempt() async {
        let transport = StubbedTransport(.response(503))
        let session = Session.over(transport, interceptor: Intercepting.retrying(2))
        let request = session.request(URLRequest.to(Self.url))
        let error = await request.validate(statusCode: [200]).outcome().error
        #expect(error?.responseCode == 503)
        #expect(transport.requests.count == 3 && request.retryCount == 2)
    }

    @Test func everyAttemptIsMeasured() async {
        let transport = SteppedTransport()
        let session = Session.over(transport, interceptor: Intercepting.retrying(1))
        let request = session.request(URLRequest.to(Self.url))
        request.resume()
        transport.exchanges[0].end(.reset)
        transport.exchanges[1].respond()
        #expect(request.allMetrics.count == 2)
        #expect(request.requests.count == 4)
    }

    @Test func distinguishesTheFirstAndTheLastMetrics() {
        let transport = SteppedTransport()
        let session = Session.over(transport, interceptor: Intercepting.retrying(2))
        let request = session.request(URLRequest.to(Self.url)).resume()
        #expect(request.firstMetrics == nil && request.lastMetrics == nil)
        for total in [1.0, 2.0, 3.0] { transport.exchanges.last?.end(.reset, metrics: TransportMetrics(total: total)) }
        #expect(request.firstMetrics?.total == 1)
        #expect(request.lastMetrics?.total == 3)
    }

    @Test func aRetryAfterADelayComes() async {
        let transport = StubbedTransport(.failure(.reset), .response(200))
        let retrier = Intercepting(retry: { _, _, completion in completion(.retryWithDelay(0.01)) })
        let session = Session.over(transport, interceptor: retrier)
        let outcome = await session.request(URLRequest.to(Self.url)).outcome()
        #expect(outcome.head?.status == 200)
    }

    @Test func aTimedOutRequestIsRetried() async throws {
        let server = try await LoopbackServer { try await $0.stallUntilClosed() }
        let session = Session.onTheWire(interceptor: Intercepting.retrying(1))
        let request = session.request(server.url).timeouts(Deadlines(attempt: .seconds(1)))
        #expect(await request.outcome().error?.transportFailure?.kind == .timeout(.total))
        #expect(server.requestCount == 2)
        #expect(request.retryCount == 1)
    }

    @Test func adaptersMayUseTheSameSession() async {
        let transport = StubbedTransport(.response(200))
        let tokens = Session.over(transport)
        let queue = DispatchQueue(label: "org.moya.tests.requests")
        let interceptor = Intercepting(adapt: { request, completion in
            tokens.request(URLRequest.to("http://t.example/")).response(queue: .global()) { _ in
                completion(.success(request))
            }.resume()
        })
        let session = Session.over(transport, requestQueue: queue, interceptor: interceptor)
        #expect(await session.request(URLRequest.to(Self.url)).outcome().error == nil)
        #expect(transport.requests.map(\.url) == ["http://t.example/", Self.url])
    }

    // MARK: The response between two attempts

    private static let waiting = Intercepting(retry: { _, _, completion in completion(.retryWithDelay(600)) })

    @Test func responseOfAnAttemptRemainsUntilTheNextOneIsSent() {
        let transport = SteppedTransport()
        let session = Session.over(transport, interceptor: Self.waiting)
        let request = session.request(URLRequest.to(Self.url)).validate().resume()
        transport.exchanges[0].respond(503)
        #expect(request.retryCount == 1 && request.error == nil && request.data == nil)
        #expect(request.response?.statusCode == 503)
        #expect(request.description.hasSuffix("(503)"))
        request.cancel()
    }

    @Test func responseOfAnAttemptIsGoneOnceTheNextOneIsSent() {
        let transport = SteppedTransport()
        let session = Session.over(transport, interceptor: Intercepting.retrying(1))
        let request = session.request(URLRequest.to(Self.url)).validate().resume()
        transport.exchanges[0].respond(503)
        #expect(transport.exchanges.count == 2)
        #expect(request.response == nil)
        #expect(!request.description.contains("503"))
        request.cancel()
    }

    @Test func monitorReadsTheResponseThatIsRetried() {
        let monitor = ClosureEventMonitor(queue: DispatchQueue(label: "org.moya.tests.monitor"))
        let codes = Recorded<Int?>()
        monitor.requestIsRetrying = { codes.add($0.response?.statusCode) }
        let transport = SteppedTransport()
        let session = Session.over(transport, interceptor: Self.waiting)
        let request = session.request(URLRequest.to(Self.url)).validate().eventMonitor(monitor).resume()
        transport.exchanges[0].respond(503)
        monitor.queue.sync {}
        #expect(codes.all == [503])
        request.cancel()
    }

    @Test func responseRemainsIfTheNextAttemptCannotBeMade() async {
        let attempts = Lock(0)
        let interceptor = Intercepting(
            adapt: { request, completion in
                completion(attempts.add(1) == 1 ? .success(request) : .failure(Refused()))
            },
            retry: { request, _, completion in completion(request.retryCount < 1 ? .retry : .doNotRetry) })
        let session = Session.over(StubbedTransport(.response(401, [], "no")), interceptor: interceptor)
        let request = session.request(URLRequest.to(Self.url)).validate()
        let outcome = await request.outcome()
        #expect(outcome.error?.isRequestAdaptationError == true)
        #expect(outcome.httpResponse?.statusCode == 401 && outcome.httpResponse?.url?.absoluteString == Self.url)
        #expect(outcome.data == Data("no".utf8))
        #expect(request.response?.statusCode == 401)
    }

    @Test func aRequestCancelledBetweenItsAttemptsHasNoResponse() async {
        let transport = SteppedTransport()
        let session = Session.over(transport, interceptor: Self.waiting)
        let request = session.request(URLRequest.to(Self.url)).validate().resume()
        transport.exchanges[0].respond(503)
        request.cancel()
        let outcome = await request.outcome()
        #expect(outcome.error?.isExplicitlyCancelledError == true)
        #expect(outcome.head == nil && request.response == nil)
        #expect((request.task?.response as? HTTPURLResponse)?.statusCode == 503)
    }
}
