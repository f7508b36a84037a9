import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct DeadlinesTests {
    private static let url = "http://a.example/"
    private static let short = Deadlines(total: .milliseconds(500))

    private func expectTotal(_ error: SessionError?, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(error?.transportFailure?.kind == .timeout(.total), sourceLocation: sourceLocation)
        #expect((error?.underlyingError as? URLError)?.code == .timedOut, sourceLocation: sourceLocation)
    }

    // MARK: Whose bounds count

    @Test func theLimitsReachTheTransport() async throws {
        let transport = StubbedTransport(.response(200))
        let session = Session.over(
            transport,
            timeouts: Deadlines(connect: .seconds(1), idle: .seconds(2), attempt: .seconds(3), total: .seconds(9))
        )
        _ = await session.request(URLRequest.to(Self.url)).outcome()
        let sent = try #require(transport.requests.first?.timeouts)
        #expect(sent == Timeouts(connect: 1, idle: 2, total: 3))
    }

    @Test func theLimitsOfARequestTakePrecedence() async throws {
        let transport = StubbedTransport(.response(200))
        let session = Session.over(
            transport, timeouts: Deadlines(connect: .seconds(1), idle: .seconds(2), attempt: .seconds(3)))
        _ = await session.request(URLRequest.to(Self.url))
            .timeouts(Deadlines(connect: .seconds(4)))
            .timeouts(Deadlines(idle: .seconds(5), attempt: .seconds(6)))
            .outcome()
        #expect(transport.requests[0].timeouts == Timeouts(connect: 4, idle: 5, total: 6))
    }

    @Test func limitThatIsNotPositiveSetsNoLimit() async throws {
        let transport = StubbedTransport(.response(200))
        let session = Session.over(
            transport, timeouts: Deadlines(connect: .seconds(1), idle: .zero, attempt: .seconds(3), total: .zero))
        _ = await session.request(URLRequest.to(Self.url))
            .timeouts(Deadlines(connect: .seconds(-1), attempt: .zero)).outcome()
        #expect(transport.requests[0].timeouts == Timeouts())
    }

    @Test func anAttemptIsLimitedByTheRemainingTotalTime() async throws {
        let transport = StubbedTransport(.response(200))
        let session = Session.over(transport, timeouts: Deadlines(attempt: .seconds(3600), total: .seconds(60)))
        _ = await session.request(URLRequest.to(Self.url)).outcome()
        let total = try #require(transport.requests[0].timeouts.total)
        #expect(total <= 60 && total > 0)
    }

    @Test func everyExchangeHasTheFullAttemptLimit() async {
        let transport = StubbedTransport(
            .response(302, [("Location", "/next")]), .failure(.reset), .response(200))
        let session = Session.over(
            transport, interceptor: Intercepting.retrying(1), timeouts: Deadlines(attempt: .seconds(3)))
        _ = await session.request(URLRequest.to(Self.url)).outcome()
        #expect(transport.requests.map(\.timeouts.total) == [3, 3, 3])
    }

    @Test func theConfigurationsIntervalsAreTheBounds() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 7
        configuration.timeoutIntervalForResource = 11
        // The callers of an exchange that a cache shares have their own limits.
        configuration.urlCache = nil
        let transport = StubbedTransport(.response(200))
        let session = Session(configuration: configuration, startRequestsImmediately: false, transport: transport)
        _ = await session.request(URLRequest.to(Self.url)).outcome()
        #expect(transport.requests[0].timeouts.idle == 7)
        let total = try #require(transport.requests[0].timeouts.total)
        #expect(total <= 11 && total > 0)
    }

    @Test func theTimeoutOfTheURLRequestIsTheIdleBound() async {
        let transport = StubbedTransport(.response(200))
        var urlRequest = URLRequest.to(Self.url)
        urlRequest.timeoutInterval = 5
        let session = Session.over(transport)
        _ = await session.request(urlRequest).outcome()
        #expect(transport.requests[0].timeouts.idle == 5)
    }

    // MARK: Who may hold a request up no longer than that

    @Test func anAdapterThatNeverAnswersEndsAtTheDeadline() async {
        let session = Session.over(
            StubbedTransport(.response(200)), interceptor: Intercepting(adapt: { _, _ in }), timeouts: Self.short)
        let outcome = await session.request(URLRequest.to(Self.url)).outcome()
        expectTotal(outcome.error)
        #expect(outcome.error?.localizedDescription.contains("adapter") == true)
        #expect(session.active.isEmpty)
    }

    @Test func aRequestEndsAtTheDeadlineWhileItsAdapterBlocks() async {
        let blocked = DispatchSemaphore(value: 0)
        let session = Session.over(
            StubbedTransport(.response(200)), interceptor: Intercepting(adapt: { _, _ in blocked.wait() }),
            timeouts: Self.short)
        let request = session.request(URLRequest.to(Self.url))
        let outcome = await withCheckedContinuation { ended in
            request.onFinish { ended.resume(returning: $0) }
            // The adapter blocks the thread that starts the request.
            DispatchQueue.global().async { request.resume() }
        }
        blocked.signal()
        expectTotal(outcome.error)
    }

    /// The retrier is called on the session's queue, on which another request's validation blocks.
    @Test func aRequestEndsAtTheDeadlineWhileTheSessionsQueueIsBusy() async throws {
        let (blocked, isBusy) = (DispatchSemaphore(value: 0), Gate())
        let session = Session.over(
            ScriptedTransport([.response(200), .failure(.reset)], deliversWhereCodeMayBlock: false),
            interceptor: Intercepting(retry: { _, _, completion in completion(.doNotRetry) }))
        let other = session.request(URLRequest.to(Self.url)).validate { _, _, _ in
            isBusy.open()
            blocked.wait()
            return .success(())
        }
        other.resume()
        try await isBusy.wait()
        let outcome = await session.request(URLRequest.to(Self.url)).timeouts(Self.short).outcome()
        blocked.signal()
        expectTotal(outcome.error)
    }

    @Test func aRetrierThatNeverAnswersEndsAtTheDeadline() async {
        let session = Session.over(
            StubbedTransport(.failure(.reset)), interceptor: Intercepting(retry: { _, _, _ in }))
        let outcome = await session.request(URLRequest.to(Self.url)).timeouts(Self.short).outcome()
        expectTotal(outcome.error)
        #expect(outcome.error?.localizedDescription.contains("retrier") == true)
    }

    @Test func aRedirectHandlerThatNeverAnswersEndsAtTheDeadline() async {
        let session = Session.over(
            StubbedTransport(.response(302, [("Location", "/next")])),
            redirectHandler: HeldRedirectHandler { _, _ in }, timeouts: Self.short)
        let request = session.request(URLRequest.to(Self.url))
        expectTotal(await request.outcome().error)
        #expect(request.isFinished)
    }

    @Test func aResponseHandlerThatNeverAnswersEndsAtTheDeadline() async {
        let session = Session.over(StubbedTransport(.response(200)), timeouts: Self.short)
        let outcome = await session.request(URLRequest.to(Self.url)).onHTTPResponse(on: .global()) { _, _ in }.outcome()
        expectTotal(outcome.error)
        #expect(outcome.head?.status == 200)
    }

    @Test func aSuspendedRequestEndsAtTheDeadline() async {
        let queue = DispatchQueue(label: "org.moya.tests.requests")
        let transport = StubbedTransport(.response(200))
        let session = Session.over(transport, requestQueue: queue, timeouts: Self.short)
        let request = session.request(URLRequest.to(Self.url))
        let outcome = await withCheckedContinuation { (continuation: CheckedContinuation<RequestOutcome, Never>) in
            request.onFinish { continuation.resume(returning: $0) }
            queue.sync {
                request.resume()
                request.suspend()
            }
        }
        expectTotal(outcome.error)
        #expect(transport.requests.isEmpty)
    }

    @Test func aServerThatNeverAnswersEndsAtTheDeadline() async throws {
        let server = try await LoopbackServer { try await $0.stallUntilClosed() }
        let session = Session.onTheWire()
        expectTotal(await session.request(server.url).timeouts(Self.short).outcome().error)
    }

    @Test func anAnswerAfterTheDeadlineChangesNothing() async {
        let held = Recorded<@Sendable (Result<URLRequest, any Error>) -> Void>()
        let transport = StubbedTransport(.response(200))
        let session = Session.over(
            transport, interceptor: Intercepting(adapt: { _, completion in held.add(completion) }),
            timeouts: Self.short)
        let request = session.request(URLRequest.to(Self.url))
        _ = await request.outcome()
        held.all[0](.success(.to(Self.url)))
        #expect(transport.requests.isEmpty)
        expectTotal(request.error)
    }

    @Test func onlyTheOverdueRequestEnds() async {
        let session = Session.over(
            StubbedTransport(.response(200)), interceptor: Intercepting(adapt: { _, _ in }))
        let patient = session.request(URLRequest.to(Self.url)).timeouts(Deadlines(total: .seconds(3600)))
        patient.resume()
        let later = session.request(URLRequest.to(Self.url)).timeouts(Deadlines(total: .milliseconds(60)))
        async let end = later.outcome()
        expectTotal(await session.request(URLRequest.to(Self.url)).timeouts(Self.short).outcome().error)
        expectTotal(await end.error)
        #expect(patient.isResumed)
        patient.cancel()
    }

    // MARK: Retrying

    @Test func aDelayBeyondTheDeadlineEndsTheRequest() async {
        let transport = StubbedTransport(.failure(.reset))
        let retrier = Intercepting(retry: { _, _, completion in completion(.retryWithDelay(3600)) })
        let session = Session.over(transport, interceptor: retrier, timeouts: Deadlines(total: .seconds(600)))
        let request = session.request(URLRequest.to(Self.url))
        #expect(await request.outcome().error?.transportFailure?.kind == .reset)
        #expect(request.retryCount == 0)
        #expect(transport.requests.count == 1)
    }

    @Test func aRetryAfterTheDeadlineEndsTheRequest() async {
        let transport = StubbedTransport(.failure(.reset))
        let retrier = Intercepting(retry: { _, _, completion in
            // Longer than the request's own deadline, which began earlier.
            let deadline = Deadline(in: 0.02)
            while deadline?.isOver() == false {}
            completion(.retry)
        })
        let session = Session.over(transport, interceptor: retrier, timeouts: Deadlines(total: .milliseconds(20)))
        let request = session.request(URLRequest.to(Self.url))
        #expect(await request.outcome().error != nil)
        #expect(request.retryCount == 0)
    }

    @Test func theDeadlineIsThatOfAllAttempts() async throws {
        let transport = StubbedTransport(.failure(.reset), .response(200))
        let retrier = Intercepting(retry: { _, _, completion in completion(.retryWithDelay(0.02)) })
        let session = Session.over(transport, interceptor: retrier, timeouts: Deadlines(total: .seconds(60)))
        _ = await session.request(URLRequest.to(Self.url)).outcome()
        let first = try #require(transport.requests[0].timeouts.total)
        let second = try #require(transport.requests[1].timeouts.total)
        #expect(second <= first - 0.02)
    }

    @Test(arguments: [1e10, 1e300, .greatestFiniteMagnitude, .infinity])
    func aDelayBeyondAnyClockDoesNotTrap(seconds: Double) async {
        let retrier = Intercepting(retry: { _, _, completion in completion(.retryWithDelay(seconds)) })
        let session = Session.over(
            StubbedTransport(.failure(.reset)), interceptor: retrier, timeouts: Deadlines(total: .zero))
        let request = session.request(URLRequest.to(Self.url)).resume()
        request.cancel()
        #expect(await request.outcome().error != nil)
        #expect(session.active.isEmpty)
    }

    @Test func aDurationBeyondAnyClockDoesNotTrap() async {
        let transport = StubbedTransport(.response(200))
        let endless = Duration.seconds(Int64.max)
        let session = Session.over(
            transport, timeouts: Deadlines(connect: endless, idle: endless, attempt: endless, total: endless))
        #expect(await session.request(URLRequest.to(Self.url)).outcome().error == nil)
    }

    @Test func aDurationBeyondAnyClockDoesNotTrapInTheTransport() async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        let endless = Duration.seconds(Int64.max)
        let session = Session.onTheWire(
            timeouts: Deadlines(connect: endless, idle: endless, attempt: endless, total: endless))
        #expect(await session.request(server.url).outcome().error == nil)
    }
}
