import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5))) struct AsyncRequestInterceptorTests {
    private let transport = StubbedTransport(.failure(.reset), .response(200))

    /// The `async` half of an interceptor whose other half is the default.
    private struct Adapting: RequestInterceptor, AsyncRequestAdapter {
        func adapt(_ urlRequest: URLRequest, for session: Session) async throws -> URLRequest {
            await Task.yield()
            var adapted = urlRequest
            adapted.setValue("async", forHTTPHeaderField: "X-Field")
            return adapted
        }
    }
    private struct Retrying: RequestInterceptor, AsyncRequestRetrier {
        func retry(_ request: Request, for session: Session, dueTo error: any Error) async -> RetryResult {
            await Task.yield()
            return request.retryCount == 0 ? .retry : .doNotRetry
        }
    }
    private struct Neutral: AsyncRequestInterceptor {}
    private struct Both: AsyncRequestInterceptor {
        func adapt(_ urlRequest: URLRequest, using state: RequestAdapterState) async throws -> URLRequest {
            var adapted = urlRequest
            adapted.setValue(state.request.description, forHTTPHeaderField: "X-Field")
            return adapted
        }
        func retry(_ request: Request, for session: Session, dueTo error: any Error) async -> RetryResult { .retry }
    }

    private func outcome(_ interceptor: any RequestInterceptor) async -> RequestOutcome {
        await Session.over(transport, interceptor: interceptor).outcome()
    }

    @Test func anAsyncAdapterAdapts() async {
        #expect(await outcome(Adapting()).error != nil)
        #expect(transport.requests.map(\.fields) == [[HTTPField(name: "X-Field", value: "async")]])
    }

    @Test func anAsyncRetrierRetries() async {
        #expect(await outcome(Retrying()).error == nil)
        #expect(transport.requests.map(\.fields) == [[], []])
    }

    @Test func asyncInterceptorDoesNothingByDefault() async {
        #expect(await outcome(Neutral()).error != nil)
        #expect(transport.requests.map(\.fields) == [[]])
    }

    @Test func anAsyncInterceptorKnowsTheRequest() async {
        #expect(await outcome(Both()).error == nil)
        #expect(transport.requests.last?.fields.first?.value == "GET http://a.example/")
    }

    @Test func asyncAdapterIsCalledWithoutARequestToo() async throws {
        let session = Session.over(transport)
        let result = await withCheckedContinuation { continuation in
            Adapting().adapt(.to("http://a.example/"), for: session) { continuation.resume(returning: $0) }
        }
        #expect(try result.get().value(forHTTPHeaderField: "X-Field") == "async")
    }

    // MARK: The end of a request

    @Test func cancellingTheRequestCancelsItsAdapter() async throws {
        let gate = Gate()
        let ended = Arrivals()
        let session = Session.over(
            transport,
            interceptor: .adapter { urlRequest, _ in
                defer { ended.arrive() }
                // Throws when its task is cancelled; the gate never opens.
                try await gate.wait()
                return urlRequest
            })
        let request = session.request(URLRequest.to("http://a.example/")).resume()
        try await gate.waitForArrivals(1)
        request.cancel()
        await ended.reach(1)
        #expect(await session.outcome(of: request).error?.isExplicitlyCancelledError == true)
        #expect(transport.requests.isEmpty)
    }

    @Test func cancellingTheRequestCancelsItsRetrier() async throws {
        let gate = Gate()
        let ended = Arrivals()
        let session = Session.over(
            transport,
            interceptor: .retrier { _, _, _ in
                defer { ended.arrive() }
                try? await gate.wait()
                return .retry
            })
        let request = session.request(URLRequest.to("http://a.example/")).resume()
        try await gate.waitForArrivals(1)
        request.cancel()
        await ended.reach(1)
        _ = await session.outcome(of: request)
        #expect(request.state == .cancelled)
        #expect(transport.requests.count == 1)
    }

    @Test func theDeadlineOfTheRequestCancelsItsAdapter() async {
        let gate = Gate()
        let ended = Arrivals()
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForResource = 0.01
        let session = Session(
            configuration: configuration, startRequestsImmediately: false,
            interceptor: .adapter { urlRequest, _ in
                defer { ended.arrive() }
                try await gate.wait()
                return urlRequest
            }, transport: transport)
        let error = await session.outcome().error
        await ended.reach(1)
        #expect((error?.underlyingError as? URLError)?.code == .timedOut)
    }

    @Test func theEndOfTheRequestDoesNotCancelWorkAfterTheAdapter() async {
        // With a transport that answers at once, the request ends within the adapter's task.
        let session = Session.over(StubbedTransport(.response(200)), interceptor: Adapting())
        let wasCancelled = await withCheckedContinuation { continuation in
            let request = session.request(URLRequest.to("http://a.example/"))
            request.onFinish { _ in }
            request.resume().onFinish { _ in continuation.resume(returning: Task.isCancelled) }
        }
        #expect(!wasCancelled)
    }

    @Test func aRequestIsReleasedOnceItIsOver() async throws {
        weak var request: DataRequest?
        do {
            let session = Session.over(StubbedTransport(.response(200)), interceptor: Adapting())
            let sent = session.request(URLRequest.to("http://a.example/"))
            request = sent
            _ = await session.outcome(of: sent)
        }
        // The adapter's task may still be on its way out.
        try await eventually { request == nil }
    }
}
