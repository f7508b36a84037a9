import Dispatch
import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5))) struct OneShotCallbackTests {
    @Test func earlyAnswerIsDeliveredByTheCaller() {
        var awaited = OneShotCallback<Int>()
        let question = awaited.nextQuestion()
        #expect(awaited.give(1, to: question) == false)
        #expect(awaited.whenReturned() == 1)
    }

    @Test func lateAnswerIsDeliveredByItsSender() {
        var awaited = OneShotCallback<Int>()
        let question = awaited.nextQuestion()
        #expect(awaited.whenReturned() == nil)
        #expect(awaited.give(1, to: question) == true)
    }

    @Test func onlyTheFirstAnswerCounts() {
        var awaited = OneShotCallback<Int>()
        let question = awaited.nextQuestion()
        let early = [awaited.give(1, to: question), awaited.give(2, to: question)]
        #expect(early == [false, false])
        #expect(awaited.whenReturned() == 1)
        #expect(awaited.give(3, to: question) == false)
    }

    @Test func onlyTheFirstLateAnswerCounts() {
        var awaited = OneShotCallback<Int>()
        let question = awaited.nextQuestion()
        _ = awaited.whenReturned()
        let late = [awaited.give(1, to: question), awaited.give(2, to: question)]
        #expect(late == [true, false])
    }

    @Test func anAnswerToAnEarlierQuestionDoesNotCount() {
        var awaited = OneShotCallback<Int>()
        let first = awaited.nextQuestion()
        _ = awaited.give(1, to: first)
        _ = awaited.whenReturned()
        _ = awaited.nextQuestion()
        #expect(awaited.give(2, to: first) == false)
        #expect(awaited.whenReturned() == nil)
    }

    /// Takes its lock in every call, and answers before it unlocks.
    private final class Locking: RequestInterceptor {
        let answersLater: Bool
        private let lock = NSLock()
        private let queue = DispatchQueue(label: "org.moya.tests.answers")

        init(answersLater: Bool) { self.answersLater = answersLater }

        func adapt(
            _ urlRequest: URLRequest, for session: Session,
            completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
        ) {
            lock.withLock { completion(.success(urlRequest)) }
        }

        func retry(
            _ request: Request, for session: Session, dueTo error: any Error,
            completion: @escaping @Sendable (RetryResult) -> Void
        ) {
            let result = request.retryCount < 3 ? RetryResult.retry : .doNotRetry
            guard answersLater else { return lock.withLock { completion(result) } }
            queue.async { self.lock.withLock { completion(result) } }
        }
    }

    @Test(arguments: [false, true], [false, true])
    func anInterceptorMayAnswerWhileItHoldsItsLock(answersLater: Bool, isComposed: Bool) async {
        let transport = StubbedTransport(.failure(.reset))
        let locking = Locking(answersLater: answersLater)
        let session = Session.over(transport, interceptor: isComposed ? Interceptor(interceptors: [locking]) : locking)
        let request = session.request(URLRequest.to("http://a.example/"))
        #expect(await request.outcome().error?.isSessionTaskError == true)
        #expect(transport.requests.count == 4)
    }
}
