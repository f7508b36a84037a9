import Foundation
import Moya
import MoyaSession
import MoyaTesting
import Testing

@Suite struct StubTransportTests {
    private let queue = DispatchQueue(label: "callbacks")

    private func provider(_ stub: StubBehavior, _ sample: EndpointSampleResponse) -> MoyaProvider<API> {
        MoyaProvider(
            endpointClosure: { target in
                Endpoint(
                    url: URL(target: target).absoluteString, sampleResponseClosure: { sample }, method: target.method,
                    task: target.task, httpHeaderFields: target.headers)
            }, stubClosure: { _ in stub }, callbackQueue: stub == .immediate ? nil : queue)
    }

    private func progress(_ stub: StubBehavior, _ sample: EndpointSampleResponse, _ task: RequestTask = .requestPlain)
        async -> [ProgressResponse]
    {
        let events = Recorder<ProgressResponse>()
        _ = await provider(stub, sample).end(of: API(method: .post, task: task), progress: { events.append($0) })
        return events.values
    }

    @Test(arguments: [false, true]) func delayedSampleIsMadeOnTheCallbackQueue(passesMiddleware: Bool) async {
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let isOnQueue = Recorder<Bool>()
        let provider = MoyaProvider<API>(
            endpointClosure: { target in
                Endpoint(
                    url: URL(target: target).absoluteString,
                    sampleResponseClosure: {
                        isOnQueue.append(DispatchQueue.getSpecific(key: key) == true)
                        return .networkResponse(200, Data())
                    }, method: target.method, task: target.task, httpHeaderFields: target.headers)
            }, stubClosure: MoyaProvider.delayedStub(0.001), callbackQueue: queue,
            middleware: passesMiddleware ? [ClosureMiddleware.waiting(.zero)] : [])
        _ = await provider.end(of: API())
        #expect(isOnQueue.values == [true])
    }

    // MARK: The session's retriers

    private func attempts(_ samples: EndpointSampleResponse..., retry: RetryPolicy) async -> (Int, Int?) {
        let made = Recorder<Void>()
        let provider = MoyaProvider<API>(
            endpointClosure: { target in
                Endpoint(
                    url: URL(target: target).absoluteString,
                    sampleResponseClosure: {
                        made.append(())
                        return samples[min(made.count, samples.count) - 1]
                    }, method: target.method, task: target.task, httpHeaderFields: target.headers)
            }, stubClosure: MoyaProvider.immediatelyStub, session: Session(interceptor: retry))
        let result = await provider.end(of: API(validationType: .successCodes))
        return (made.count, result.response?.statusCode)
    }

    @Test func retriersReadTheErrorOfASample() async {
        let error = NSError(domain: NSURLErrorDomain, code: NSURLErrorTimedOut)
        let retry = RetryPolicy(retryLimit: 1, exponentialBackoffScale: 0)
        #expect(await attempts(.networkError(error), .networkResponse(200, Data()), retry: retry) == (2, 200))
    }

    @Test func retriersReadTheFieldsOfASample() async throws {
        let url = try #require(URL(string: "https://api.example.com"))
        let unavailable = try #require(
            HTTPURLResponse(url: url, statusCode: 503, httpVersion: nil, headerFields: ["Retry-After": "120"]))
        let retry = RetryPolicy(retryLimit: 1, exponentialBackoffScale: 0)
        // Longer than the policy waits.
        #expect(await attempts(.response(unavailable, Data()), retry: retry).0 == 1)
    }

    // MARK: Progress, which Moya's stubs do not report

    @Test(arguments: [StubBehavior.immediate, .delayed(seconds: 0)]) func stubReportsDownloadAndEnd(
        _ stub: StubBehavior
    )
        async
    {
        let events = await progress(stub, .networkResponse(200, Data("sample".utf8)))
        #expect(events.map(\.progress) == [1, 1])
        #expect(events.map(\.completed) == [false, true])
    }

    @Test func stubOfAnUploadReportsUploadAndEnd() async {
        let part = MultipartFormData(provider: .data(Data("part".utf8)), name: "name")
        let events = await progress(
            .delayed(seconds: 0), .networkResponse(200, Data("sample".utf8)), .uploadMultipart([part]))
        #expect(events.map(\.completed) == [false, true])
        #expect(events.compactMap(\.progressObject).count == 2)
    }

    @Test func failedStubReportsAnEndWithoutAResponse() async {
        let events = await progress(.delayed(seconds: 0), .networkError(NSError(domain: "test", code: 1)))
        #expect(events.map(\.completed) == [false])
    }

    // MARK: Delay

    @Test func delayedStubTakesAtLeastItsDelay() async {
        let provider = provider(.delayed(seconds: 0.05), .networkResponse(200, Data()))
        let start = ContinuousClock.now
        #expect(await provider.end(of: API()).response?.statusCode == 200)
        #expect(ContinuousClock.now - start >= .milliseconds(50))
    }

    @Test(arguments: [0, -1, Double.nan, -Double.infinity]) func stubWithoutADelayIsImmediate(_ seconds: Double) async {
        #expect(
            await provider(.delayed(seconds: seconds), .networkResponse(200, Data())).end(of: API()).response != nil)
    }

    /// Moya waits for the delay; an hour would outlast any test.
    @Test func cancelledDelayedStubEndsPromptly() async throws {
        let provider = provider(.delayed(seconds: 3_600), .networkResponse(200, Data()))
        let promise = Promise<Result<Response, MoyaError>>()
        let token = provider.request(API()) { promise.fulfill($0) }
        token.cancel()
        let result = try await promise.value
        #expect(result.isCancelled)
        #expect((result.error?.underlyingError as NSError?)?.code == NSURLErrorCancelled)
    }

    @Test func cancelledDelayedStubNotifiesPlugins() async throws {
        let received = Recorder<Bool>()
        let provider = MoyaProvider<API>(
            stubClosure: MoyaProvider.delayedStub(3_600),
            plugins: [RecordingPlugin(onReceive: { received.append($0.isCancelled) })])
        let promise = Promise<Void>()
        provider.request(API()) { _ in promise.fulfill(()) }.cancel()
        try await promise.value
        #expect(received.values == [true])
    }

    // MARK: Validation

    private func validated(_ status: Int, _ stub: StubBehavior = .immediate) async -> Result<Response, MoyaError> {
        await provider(stub, .networkResponse(status, Data("sample".utf8)))
            .end(of: API(validationType: .successAndRedirectCodes))
    }

    @Test func stubOf400FailsUnderSuccessAndRedirectCodes() async {
        #expect(await validated(400).error?.response?.statusCode == 400)
    }

    @Test(arguments: [200, 304]) func stubOfASuccessSucceeds(_ status: Int) async {
        #expect(await validated(status).response?.statusCode == status)
    }

    /// Moya's stubs fail with `MoyaError.statusCode` inside `.underlying`.
    @Test func failedValidationOfAStubIsThatOfARealResponse() async {
        let session = Session(transport: StepwiseTransport.answering(400, "sample"))
        let real = await MoyaProvider<API>(session: session).end(of: API(validationType: .successAndRedirectCodes))
        for result in [real, await validated(400), await validated(400, .delayed(seconds: 0))] {
            guard case .underlying(let error, let response?) = result.error,
                case .responseValidationFailed(.unacceptableStatusCode(400)) = error as? SessionError
            else {
                Issue.record("\(result)")
                continue
            }
            #expect(response.data == Data("sample".utf8))
        }
    }

    // MARK: Passing the middleware

    @Test func stubSendsNothing() async {
        let transport = StepwiseTransport.answering()
        let provider = MoyaProvider<API>(
            stubClosure: MoyaProvider.immediatelyStub, session: Session(transport: transport))
        _ = await provider.end(of: API())
        #expect(transport.requests.count == 0)
    }

    @Test(arguments: [301, 401, 407, 503]) func stubOfAnyStatusIsDeliveredAsItIs(_ status: Int) async {
        let result = await provider(.immediate, .networkResponse(status, Data("sample".utf8))).end(of: API())
        #expect(result.response?.statusCode == status)
        #expect(result.text == "sample")
    }

    @Test func stubOfALargeBodyIsWhole() async {
        let data = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0) })
        #expect(await provider(.immediate, .networkResponse(200, data)).end(of: API()).response?.data == data)
    }

    @Test func stubWithoutABodyIsEmpty() async {
        #expect(await provider(.immediate, .networkResponse(204, Data())).end(of: API()).response?.data == Data())
    }

    @Test func immediateStubWithAQueueIsNotDeliveredInside() async throws {
        let provider = MoyaProvider<API>(stubClosure: MoyaProvider.immediatelyStub)
        let events = Recorder<String>()
        let promise = Promise<Void>()
        queue.suspend()
        provider.request(API(), callbackQueue: queue) { _ in
            events.append("completion")
            promise.fulfill(())
        }
        events.append("returned")
        queue.resume()
        try await promise.value
        #expect(events.values == ["returned", "completion"])
    }
}
