import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct SessionTaskTests {
    private static let url = "http://a.example/path"

    @Test func noTaskBeforeTheRequestIsSent() {
        let session = Session.over(StubbedTransport(.silence))
        let request = session.request(URLRequest.to(Self.url))
        #expect(request.task == nil && request.lastTask == nil && request.firstTask == nil)
        #expect(request.tasks.isEmpty)
    }

    @Test func retrierReadsTheResponseOfTheTask() async {
        let codes = Recorded<Int?>()
        let retrier = Intercepting(retry: { request, _, completion in
            codes.add((request.task?.response as? HTTPURLResponse)?.statusCode)
            completion(.doNotRetry)
        })
        let session = Session.over(StubbedTransport(.response(401)), interceptor: retrier)
        _ = await session.request(URLRequest.to(Self.url)).validate().outcome()
        #expect(codes.all == [401])
    }

    @Test func everyAttemptHasATask() async {
        let retrier = Intercepting(retry: { request, _, completion in
            completion(request.retryCount < 1 ? .retry : .doNotRetry)
        })
        let session = Session.over(StubbedTransport(.response(503), .response(200)), interceptor: retrier)
        let request = session.request(URLRequest.to(Self.url)).validate()
        _ = await request.outcome()
        #expect(request.tasks.map { ($0.response as? HTTPURLResponse)?.statusCode } == [503, 200])
        #expect(request.tasks.map(\.state) == [.completed, .completed])
        #expect(Set(request.tasks.map(\.taskIdentifier)).count == 2)
        #expect((request.firstTask?.response as? HTTPURLResponse)?.statusCode == 503)
        #expect((request.lastTask?.response as? HTTPURLResponse)?.statusCode == 200)
    }

    @Test func everyAttemptKeepsItsOwnDescription() async {
        let retrier = Intercepting(retry: { request, _, completion in
            request.task?.taskDescription = "attempt \(request.retryCount)"
            completion(request.retryCount < 1 ? .retry : .doNotRetry)
        })
        let session = Session.over(StubbedTransport(.response(503), .response(503)), interceptor: retrier)
        let request = session.request(URLRequest.to(Self.url)).validate()
        _ = await request.outcome()
        #expect(request.tasks.map(\.taskDescription) == ["attempt 0", "attempt 1"])
    }

    @Test func theCountsOfAnAttemptEndWithIt() async {
        let session = Session.over(
            StubbedTransport(.response(503, [], "hello"), .failure(.reset)), interceptor: Intercepting.retrying(1))
        let request = session.request(URLRequest.to(Self.url)).validate()
        let progress = request.downloadProgress
        _ = await request.outcome()
        #expect(request.tasks.map(\.countOfBytesReceived) == [5, 0])
        #expect(progress.completedUnitCount == 0)
    }

    @Test func lastTaskStaysWhileTheNextAttemptIsPrepared() async {
        let codes = Recorded<Int?>()
        let interceptor = Intercepting(
            adapt: { request, completion in completion(.success(request)) },
            retry: { request, _, completion in completion(request.retryCount < 1 ? .retry : .doNotRetry) })
        let session = Session.over(StubbedTransport(.response(503), .response(200)), interceptor: interceptor)
        let request = session.request(URLRequest.to(Self.url)).validate()
        request.adapt(
            using: Intercepting(adapt: { [weak request] urlRequest, completion in
                codes.add((request?.task?.response as? HTTPURLResponse)?.statusCode)
                completion(.success(urlRequest))
            }))
        _ = await request.outcome()
        #expect(codes.all == [nil, 503])
    }

    @Test func countsAreThoseOfTheBody() async {
        let session = Session.over(StubbedTransport(.response(200, [("Content-Length", "5")], "hello")))
        let request = session.request(URLRequest.to(Self.url))
        _ = await request.outcome()
        #expect(request.task?.countOfBytesReceived == 5)
        #expect(request.task?.countOfBytesExpectedToReceive == 5)
        #expect(request.task?.originalRequest?.url?.absoluteString == Self.url)
        #expect(request.task?.currentRequest?.url?.absoluteString == Self.url)
    }

    @Test func countsOfAnUploadAreThoseOfItsBody() {
        let transport = SteppedTransport()
        let session = Session.over(transport)
        let upload = session.upload(Data("hello".utf8), to: Self.url)
        upload.uploadProgress(queue: .global()) { _ in }
        upload.resume()
        #expect(upload.task?.countOfBytesSent == 0)
        transport.exchanges[0].sent(2, of: 5)
        #expect(upload.task?.countOfBytesSent == 2)
        #expect(upload.task?.countOfBytesExpectedToSend == 5)
        transport.exchanges[0].sent(5, of: 5)
        transport.exchanges[0].respond(200, [("Content-Length", "4")], "done")
        #expect(upload.task?.countOfBytesSent == 5)
        #expect(upload.task?.countOfBytesExpectedToSend == 5)
        #expect(upload.task?.countOfBytesReceived == 4)
    }

    @Test func countsOfAnUploadOfUnknownLengthAreThoseOfItsBytes() {
        let transport = SteppedTransport()
        let session = Session.over(transport)
        let upload = session.upload(InputStream(data: Data("hello".utf8)), to: Self.url)
        upload.uploadProgress(queue: .global()) { _ in }
        upload.resume()
        transport.exchanges[0].sent(3, of: nil)
        #expect(upload.task?.countOfBytesSent == 3)
        #expect(upload.task?.countOfBytesExpectedToSend == NSURLSessionTransferSizeUnknown)
        transport.exchanges[0].respond()
    }

    @Test func everyAttemptOfAnUploadCountsItsOwnBytes() {
        let transport = SteppedTransport()
        let session = Session.over(transport, interceptor: Intercepting.retrying(1))
        let upload = session.upload(Data("hello".utf8), to: Self.url)
        upload.uploadProgress(queue: .global()) { _ in }
        upload.resume()
        transport.exchanges[0].sent(3, of: 5)
        transport.exchanges[0].end(.reset)
        session.rootQueue.sync {}
        transport.exchanges[1].sent(1, of: 5)
        #expect(upload.tasks.map(\.countOfBytesSent) == [3, 1])
        transport.exchanges[1].respond()
    }

    @Test(.timeLimit(.minutes(1))) func countsOfAnUploadOnTheWireAreThoseOfItsBody() async throws {
        let server = try await LoopbackServer { exchange in
            _ = try await exchange.discardBody()
            try await exchange.respond(200, [:], body: "done")
        }
        let session = Session.onTheWire()
        let upload = session.upload(Data(count: 300_000), to: server.url)
        upload.uploadProgress(queue: .global()) { _ in }
        _ = await upload.outcome()
        #expect(upload.task?.countOfBytesSent == 300_000)
        #expect(upload.task?.countOfBytesExpectedToSend == 300_000)
    }

    @Test func currentRequestIsThatAfterARedirect() async {
        let session = Session.over(
            StubbedTransport(.response(302, [("Location", "/elsewhere")]), .response(200)))
        let request = session.request(URLRequest.to(Self.url))
        _ = await request.outcome()
        #expect(request.task?.originalRequest?.url?.absoluteString == Self.url)
        #expect(request.task?.currentRequest?.url?.absoluteString == "http://a.example/elsewhere")
    }

    @Test func currentRequestAfterA303IsAGetWithoutABody() async {
        let session = Session.over(
            StubbedTransport(.response(303, [("Location", "/elsewhere")]), .response(200)))
        var post = URLRequest.to(Self.url)
        post.httpMethod = "POST"
        post.httpBody = Data("sent".utf8)
        let request = session.request(post)
        _ = await request.outcome()
        #expect(request.task?.currentRequest?.httpMethod == "GET")
        #expect(request.task?.currentRequest?.httpBody == nil)
    }

    @Test func currentRequestIsThatOfARedirectHandler() async {
        let session = Session.over(
            StubbedTransport(.response(302, [("Location", "/elsewhere")]), .response(200)))
        let redirector = Redirector.modify { _, proposed, _ -> URLRequest? in
            var changed = proposed
            changed.setValue("yes", forHTTPHeaderField: "X-Changed")
            return changed
        }
        let request = session.request(URLRequest.to(Self.url)).redirect(using: redirector)
        _ = await request.outcome()
        #expect(request.task?.currentRequest?.value(forHTTPHeaderField: "X-Changed") == "yes")
    }

    @Test func errorIsThatOfTheExchange() async {
        let session = Session.over(StubbedTransport(.failure(.timeout(.idle))))
        let request = session.request(URLRequest.to(Self.url))
        _ = await request.outcome()
        #expect((request.task?.error as? URLError)?.code == .timedOut)
    }

    @Test func refusedResponseIsNoErrorOfTheTask() async {
        let session = Session.over(StubbedTransport(.response(500)))
        let request = session.request(URLRequest.to(Self.url)).validate()
        _ = await request.outcome()
        #expect(request.error != nil)
        #expect(request.task != nil && request.task?.error == nil)
    }

    @Test func stateFollowsTheRequest() {
        let session = Session.over(StubbedTransport(.silence))
        let request = session.request(URLRequest.to(Self.url)).resume()
        #expect(request.task?.state == .running)
        request.task?.suspend()
        #expect(request.task?.state == .suspended)
        request.task?.resume()
        #expect(request.task?.state == .running)
        request.task?.cancel()
        #expect(request.isCancelled)
        #expect(request.task?.state == .completed)
        #expect((request.task?.error as? URLError)?.code == .cancelled)
    }

    @Test func keptTaskDoesNotKeepItsRequest() async {
        let session = Session.over(StubbedTransport(.response(200)))
        weak var released: Request?
        var kept: SessionTask?
        do {
            let request = session.request(URLRequest.to(Self.url))
            _ = await request.outcome()
            released = request
            kept = request.task
        }
        #expect(kept != nil && released == nil)
    }
}
