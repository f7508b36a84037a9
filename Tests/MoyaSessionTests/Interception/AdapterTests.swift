import Foundation
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5))) struct AdapterTests {
    private let transport = StubbedTransport(.failure(.reset), .response(200))

    /// The closures under test add a field.
    private static let adding: AdaptHandler = { urlRequest, _, completion in
        var adapted = urlRequest
        adapted.setValue("added", forHTTPHeaderField: "X-Field")
        completion(.success(adapted))
    }
    private static let addingLater: AsyncAdaptHandler = { urlRequest, _ in
        await Task.yield()
        var adapted = urlRequest
        adapted.setValue("added", forHTTPHeaderField: "X-Field")
        return adapted
    }

    @Test(arguments: [Adapter(adding), Adapter(addingLater), .adapter(using: adding), .adapter(using: addingLater)])
    func theClosureAdapts(adapter: Adapter) async {
        _ = await Session.over(transport, interceptor: adapter).outcome()
        #expect(transport.requests[0].fields == [HTTPField(name: "X-Field", value: "added")])
    }

    @Test(arguments: [Adapter(adding), Adapter(addingLater)])
    func theFormWithoutARequestAdaptsToo(adapter: Adapter) async throws {
        let session = Session.over(transport)
        let result = await withCheckedContinuation { continuation in
            adapter.adapt(.to("http://a.example/"), for: session) { continuation.resume(returning: $0) }
        }
        #expect(try result.get().value(forHTTPHeaderField: "X-Field") == "added")
    }

    @Test func itRetriesNothing() async {
        let session = Session.over(transport, interceptor: Adapter(Self.adding))
        #expect(await session.outcome().error != nil)
        #expect(transport.requests.count == 1)
    }

    @Test func anAdapterThatAnswersAfterTheEndChangesNothing() async {
        let answer = Lock<(@Sendable (Result<URLRequest, any Error>) -> Void)?>(nil)
        let session = Session.over(
            SteppedTransport(), interceptor: Intercepting(adapt: { _, completion in answer.set(completion) }))
        let request = session.request(URLRequest.to("https://example.com/a"))
        request.resume()
        session.rootQueue.sync {}
        request.cancel()
        _ = await request.outcome()
        answer.exchange(nil)?(.success(URLRequest.to("https://example.com/other")))
        #expect(request.requests.map(\.url?.path) == ["/a"])
        #expect(request.request?.url?.path == "/a")
    }

    @Test func errorOfAnAsyncClosureEndsTheRequest() async {
        let session = Session.over(transport, interceptor: .adapter { _, _ in throw Refused() })
        #expect(await session.outcome().adaptationError is Refused)
    }

    @Test func staticMembersMakeAdapters() {
        let adapters: [any RequestAdapter] = [.adapter(using: Self.adding)]
        let interceptor: any RequestInterceptor = .adapter(using: Self.adding)
        #expect(adapters.count == 1)
        #expect(interceptor is Adapter)
    }

    @Test func subclassThatAdaptsByItselfIsCalled() async {
        final class Own: Adapter, @unchecked Sendable {
            override func adapt(
                _ urlRequest: URLRequest, for session: Session,
                completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
            ) { completion(.failure(Refused())) }
        }
        let session = Session.over(transport, interceptor: Own(Self.adding))
        #expect(await session.outcome().adaptationError is Refused)
    }
}
