import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5))) struct InterceptorTests {
    /// Adds its name to a field, and records its calls after a failure.
    private struct Named: RequestInterceptor {
        let name: String
        var answer = RetryResult.doNotRetry
        var error: (any Error)?
        var log: Log?

        func adapt(
            _ urlRequest: URLRequest, for session: Session,
            completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
        ) {
            if let error { return completion(.failure(error)) }
            var adapted = urlRequest
            adapted.addValue(name, forHTTPHeaderField: "X-Trail")
            completion(.success(adapted))
            completion(.failure(Refused()))
        }

        func retry(
            _ request: Request, for session: Session, dueTo error: any Error,
            completion: @escaping @Sendable (RetryResult) -> Void
        ) {
            log?.append(name)
            completion(request.retryCount == 0 ? answer : .doNotRetry)
            completion(.retry)
        }
    }

    private final class Log: Sendable {
        private let names = Lock<[String]>([])
        var all: [String] { names.withLock { $0 } }
        func append(_ name: String) { names.withLock { $0.append(name) } }
    }

    private let transport = StubbedTransport(.failure(.reset), .response(200))

    private func outcome(_ interceptor: Interceptor) async -> RequestOutcome {
        await Session.over(transport, interceptor: interceptor).outcome()
    }

    // MARK: Subclasses

    /// Overrides the form without a request.
    private final class Counting: Interceptor, @unchecked Sendable {
        let adaptations = Lock(0)

        override func adapt(
            _ urlRequest: URLRequest, for session: Session,
            completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
        ) {
            adaptations.withLock { $0 += 1 }
            super.adapt(urlRequest, for: session, completion: completion)
        }
    }

    @Test func subclassThatAdaptsByItselfIsCalled() async {
        let interceptor = Counting(adapters: [Named(name: "a")])
        _ = await outcome(interceptor)
        #expect(interceptor.adaptations.value == 1)
    }

    @Test func adaptersOfASubclassAdapt() async {
        _ = await outcome(Counting(adapters: [Named(name: "a")]))
        #expect(transport.requests[0].fields.first?.value == "a")
    }

    @Test func adaptersOfASubclassReceiveTheRequest() async {
        struct Stateful: RequestInterceptor {
            let log: Log

            func adapt(
                _ urlRequest: URLRequest, using state: RequestAdapterState,
                completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
            ) {
                log.append("attempt \(state.request.retryCount)")
                completion(.success(urlRequest))
            }
        }
        let log = Log()
        _ = await outcome(Counting(interceptors: [Stateful(log: log)]))
        #expect(log.all == ["attempt 0"])
    }

    // MARK: Adapting

    @Test func withoutAdaptersTheRequestStaysAsItIs() async {
        _ = await outcome(Interceptor())
        #expect(transport.requests[0].fields.isEmpty)
    }

    @Test func interceptorsComeAfterTheExplicitOnes() async {
        let interceptor = Interceptor(
            adapters: [Named(name: "1"), Named(name: "2")], retriers: [Named(name: "3")],
            interceptors: [Named(name: "4")])
        #expect(interceptor.adapters.compactMap { ($0 as? Named)?.name } == ["1", "2", "4"])
        #expect(interceptor.retriers.compactMap { ($0 as? Named)?.name } == ["3", "4"])
        _ = await outcome(interceptor)
        #expect(transport.requests[0].fields == [HTTPField(name: "X-Trail", value: "1,2,4")])
    }

    @Test func theFirstFailureEndsTheAdapting() async {
        let interceptor = Interceptor(adapters: [
            Named(name: "1"), Named(name: "2", error: Refused()), Named(name: "3", error: CancellationError()),
        ])
        #expect(await outcome(interceptor).adaptationError is Refused)
        #expect(transport.requests.isEmpty)
    }

    @Test func formWithoutARequestCallsAllAdapters() async throws {
        let interceptor = Interceptor(adapters: [Named(name: "1")], interceptors: [Named(name: "2")])
        let session = Session.over(transport)
        let result = await withCheckedContinuation { continuation in
            interceptor.adapt(.to("http://a.example/"), for: session) { continuation.resume(returning: $0) }
        }
        #expect(try result.get().value(forHTTPHeaderField: "X-Trail") == "1,2")
    }

    @Test func adaptersAfterAnOverdueOneAreNotCalled() async {
        let held = Lock<(@Sendable () -> Void)?>(nil)
        let slow = Adapter { urlRequest, _, completion in
            held.withLock { $0 = { completion(.success(urlRequest)) } }
        }
        let asked = Lock(false)
        let next = Adapter { urlRequest, _, completion in
            asked.set(true)
            completion(.success(urlRequest))
        }
        let session = Session.over(transport, interceptor: Interceptor(adapters: [slow, next]))
        let request = session.call().resume()
        request.cancel()
        held.withLock { $0.take() }?()
        #expect(await session.outcome(of: request).error?.isExplicitlyCancelledError == true)
        let wasAsked = asked.value
        #expect(!wasAsked)
    }

    // MARK: Nesting

    @Test func aNestedInterceptorIsReplacedByItsAdaptersAndRetriers() {
        let first = Interceptor(interceptors: [Named(name: "1")])
        let nested = (0..<100).reduce(first) { nested, _ in Interceptor(interceptors: [nested]) }
        let pair = Interceptor(adapter: nested, retrier: nested)
        #expect(pair.adapters.compactMap { ($0 as? Named)?.name } == ["1"])
        #expect(pair.retriers.compactMap { ($0 as? Named)?.name } == ["1"])
    }

    @Test func aNestedSubclassStays() {
        let nested = Interceptor(interceptors: [Interceptor(interceptors: [Counting()])])
        #expect(nested.adapters.count == 1 && nested.adapters.first is Counting)
    }

    // MARK: Retrying

    @Test(arguments: [RetryResult.retry, .retryWithDelay(0.001), .doNotRetryWithError(Refused())])
    func theFirstRetrierWithADecisionDecides(answer: RetryResult) async {
        let log = Log()
        _ = await outcome(
            Interceptor(retriers: [
                Named(name: "1", log: log), Named(name: "2", answer: answer, log: log), Named(name: "3", log: log),
            ]))
        #expect(log.all == ["1", "2"])
    }

    @Test func aRetrierMayGiveItsOwnError() async {
        let interceptor = Interceptor(retriers: [Named(name: "1", answer: .doNotRetryWithError(Refused()))])
        #expect(await outcome(interceptor).retryError is Refused)
    }

    @Test func errorIsKeptWithoutARetry() async {
        let interceptor = Interceptor(retriers: [Named(name: "1"), Named(name: "2")])
        #expect(await outcome(interceptor).error?.isSessionTaskError == true)
    }

    // MARK: Names

    @Test func itIsMadeOfClosures() async {
        let interceptor: any RequestInterceptor = .interceptor(
            adaptHandler: { urlRequest, _, completion in completion(.success(urlRequest)) },
            retryHandler: { request, _, _, completion in completion(request.retryCount == 0 ? .retry : .doNotRetry) })
        let session = Session.over(transport, interceptor: interceptor)
        #expect(await session.outcome().error == nil)
    }

    @Test func itIsMadeOfClosuresWithTheLabelsOfObjects() async {
        let interceptor: any RequestInterceptor = .interceptor(
            adapter: { urlRequest, _, completion in completion(.success(urlRequest)) },
            retrier: { request, _, _, completion in completion(request.retryCount == 0 ? .retry : .doNotRetry) })
        let session = Session.over(transport, interceptor: interceptor)
        #expect(await session.outcome().error == nil)
    }

    @Test func itIsMadeOfAsyncClosures() async {
        let interceptor: any RequestInterceptor = .interceptor(
            adaptHandler: { urlRequest, _ in urlRequest },
            retryHandler: { request, _, _ in request.retryCount == 0 ? .retry : .doNotRetry })
        let session = Session.over(transport, interceptor: interceptor)
        #expect(await session.outcome().error == nil)
    }

    @Test func staticMembersMakeInterceptors() {
        let interceptors: [any RequestInterceptor] = [
            .interceptor, .interceptor(adapter: Named(name: "1"), retrier: Named(name: "2")),
            .interceptor(adapters: [Named(name: "1")], retriers: [.retryPolicy], interceptors: [.retryPolicy]),
        ]
        #expect(interceptors.compactMap { ($0 as? Interceptor)?.retriers.count } == [0, 1, 2])
    }
}
