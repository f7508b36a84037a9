import Foundation
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5))) struct RetrierTests {
    private let transport = StubbedTransport(.failure(.reset), .response(200))

    private static let once: RetryHandler = { request, _, _, completion in
        completion(request.retryCount == 0 ? .retry : .doNotRetry)
    }
    private static let onceLater: AsyncRetryHandler = { request, _, _ in
        await Task.yield()
        return request.retryCount == 0 ? .retry : .doNotRetry
    }

    @Test(arguments: [Retrier(once), Retrier(onceLater), .retrier(using: once), .retrier(using: onceLater)])
    func theClosureDecides(retrier: Retrier) async {
        let session = Session.over(transport, interceptor: retrier)
        #expect(await session.outcome().error == nil)
        #expect(transport.requests.count == 2)
    }

    /// Each attempt ends where it starts, so that a retry within that end would be within the attempts before it.
    @Test func thousandsOfRetriesWithoutAWaitUseNoStack() async {
        let transport = StubbedTransport([StubbedTransport.Answer](repeating: .failure(.reset), count: 5_001))
        let retrier = Retrier { request, _, _, completion in
            completion(request.retryCount < 5_000 ? .retry : .doNotRetry)
        }
        let session = Session.over(transport, interceptor: retrier)
        #expect(await session.outcome().error != nil)
        #expect(transport.requests.count == 5_001)
    }

    @Test func itAdaptsNothing() async {
        let session = Session.over(transport, interceptor: Retrier(Self.once))
        _ = await session.outcome()
        #expect(transport.requests.allSatisfy { $0.fields.isEmpty })
    }

    @Test func anAsyncClosureMayGiveItsOwnError() async {
        let session = Session.over(transport, interceptor: .retrier { _, _, _ in .doNotRetryWithError(Refused()) })
        #expect(await session.outcome().retryError is Refused)
    }

    @Test func staticMembersMakeRetriers() {
        let retriers: [any RequestRetrier] = [.retrier(using: Self.once)]
        let interceptor: any RequestInterceptor = .retrier(using: Self.once)
        #expect(retriers.count == 1)
        #expect(interceptor is Retrier)
    }
}
