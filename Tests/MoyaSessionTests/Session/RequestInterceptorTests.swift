import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct RequestInterceptorTests {
    private struct Refused: Error {}

    private struct Adding: RequestInterceptor {
        let value: String
        func adapt(
            _ urlRequest: URLRequest, for session: Session,
            completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
        ) {
            var adapted = urlRequest
            adapted.addValue(value, forHTTPHeaderField: "X-Trail")
            completion(.success(adapted))
            // A second answer must not count.
            completion(.failure(Refused()))
        }
    }

    private struct Refusing: RequestInterceptor {
        func adapt(
            _ urlRequest: URLRequest, for session: Session,
            completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
        ) { completion(.failure(Refused())) }
    }

    private final class Retrying: RequestInterceptor {
        let answer: RetryResult
        let limit: Int
        let asked = Lock(0)
        init(_ answer: RetryResult, limit: Int = 1) {
            self.answer = answer
            self.limit = limit
        }
        func retry(
            _ request: Request, for session: Session, dueTo error: any Error,
            completion: @escaping @Sendable (RetryResult) -> Void
        ) {
            asked.add(1)
            completion(request.retryCount < limit ? answer : .doNotRetry)
            completion(.retry)
        }
    }

    @Test func theSessionsAdapterComesBeforeTheRequests() async {
        let transport = StubbedTransport(.response(200))
        let session = Session.over(transport, interceptor: Adding(value: "session"))
        _ = await session.request(URLRequest.to("http://a.example/"), interceptor: Adding(value: "request")).outcome()
        #expect(transport.requests[0].fields == [HTTPField(name: "X-Trail", value: "session,request")])
    }

    @Test func aFailedAdapterEndsTheRequestUnsent() async {
        let transport = StubbedTransport(.response(200))
        let session = Session.over(transport, interceptor: Refusing())
        let error = await session.request(URLRequest.to("http://a.example/")).outcome().error
        #expect(error?.isRequestAdaptationError == true)
        #expect(transport.requests.isEmpty)
    }

    @Test func aRetryAdaptsAnew() async {
        let transport = StubbedTransport(.failure(.reset), .response(200))
        let session = Session.over(transport, interceptor: Adding(value: "once"))
        let request = session.request(URLRequest.to("http://a.example/"), interceptor: Retrying(.retry))
        let outcome = await request.outcome()
        #expect(outcome.head?.status == 200)
        #expect(request.retryCount == 1)
        #expect(transport.requests[1].fields == [HTTPField(name: "X-Trail", value: "once")])
    }

    @Test(arguments: [-1, 0, Double.nan])
    func delayThatIsNotPositiveRetriesAtOnce(seconds: Double) async {
        let transport = StubbedTransport(.failure(.reset), .response(200))
        let session = Session.over(transport, interceptor: Retrying(.retryWithDelay(seconds)))
        #expect(await session.request(URLRequest.to("http://a.example/")).outcome().error == nil)
    }

    @Test func aRetrierMayGiveItsOwnError() async {
        let transport = StubbedTransport(.failure(.reset))
        let session = Session.over(transport, interceptor: Retrying(.doNotRetryWithError(Refused())))
        let error = await session.request(URLRequest.to("http://a.example/")).outcome().error
        guard case .requestRetryFailed(let retryError, let originalError) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(retryError is Refused)
        #expect((originalError as? SessionError)?.transportFailure?.kind == .reset)
    }

    @Test func retrierIsNotCalledForACancelledRequest() async {
        let retrier = Retrying(.retry)
        let session = Session.over(StubbedTransport(.silence), interceptor: retrier)
        let request = session.request(URLRequest.to("http://a.example/")).resume()
        request.cancel()
        _ = await request.outcome()
        #expect(retrier.asked.value == 0)
    }

    @Test func retrierIsNotCalledForARequestThatEndsWhileItsQueueIsBusy() async {
        let transport = SteppedTransport(deliversWhereCodeMayBlock: false)
        let retrier = Retrying(.retry)
        let session = Session.over(transport, interceptor: retrier)
        let held = DispatchSemaphore(value: 0)
        session.rootQueue.async { held.wait() }
        let request = session.request(URLRequest.to("http://a.example/")).resume()
        transport.exchanges[0].end(.reset)
        request.cancel()
        held.signal()
        session.rootQueue.sync {}
        #expect(retrier.asked.value == 0)
        #expect(request.isCancelled)
    }

    @Test func retrierIsCalledForAFailedValidation() async {
        let transport = StubbedTransport(.response(503), .response(200))
        let session = Session.over(transport, interceptor: Retrying(.retry))
        let outcome = await session.request(URLRequest.to("http://a.example/")).validate(statusCode: [200]).outcome()
        #expect(outcome.error == nil)
        #expect(transport.requests.count == 2)
    }

    @Test func cancellingBetweenAttemptsEndsTheRequestOnce() async {
        let transport = StubbedTransport(.failure(.reset))
        let session = Session.over(transport, interceptor: Retrying(.retryWithDelay(3600), limit: 5))
        let request = session.request(URLRequest.to("http://a.example/")).resume()
        request.cancel()
        #expect(await request.outcome().error?.isExplicitlyCancelledError == true)
    }
}
