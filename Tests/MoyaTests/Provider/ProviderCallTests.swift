import Foundation
import Moya
import MoyaSession
import MoyaTesting
import MoyaTransport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The hooks of a plugin that run in each situation, and their order.
@Suite struct ProviderCallTests {
    private let events = Recorder<String>()
    private let queue = DispatchQueue(label: "callbacks")

    private var plugin: RecordingPlugin { RecordingPlugin(events: events) }

    private func provider(
        _ transport: StepwiseTransport = .answering(), stub: StubBehavior = .never,
        interceptor: (any RequestInterceptor)? = nil,
        plugins: [any PluginType]? = nil
    ) -> MoyaProvider<API> {
        MoyaProvider(
            stubClosure: { _ in stub }, callbackQueue: stub == .immediate ? nil : queue,
            session: Session(interceptor: interceptor, transport: transport), plugins: plugins ?? [plugin])
    }

    /// Makes a call and records its progress and its end among the plugins' entries.
    private func call(_ provider: MoyaProvider<API>, _ target: API = API(), reportsProgress: Bool = true) async
        -> Result<Response, MoyaError>
    {
        let progress: SendableProgressBlock = { [events] in events.append($0.completed ? "final progress" : "progress")
        }
        return await withCheckedContinuation { continuation in
            provider.request(target, progress: reportsProgress ? progress : nil) { [events] result in
                events.append("completion")
                continuation.resume(returning: result)
            }
        }
    }

    // MARK: The situations

    @Test(arguments: [true, false]) func realRequestIsSentAndCompletes(_ deliversWhereCodeMayBlock: Bool) async {
        let transport = StepwiseTransport(deliversWhereCodeMayBlock: deliversWhereCodeMayBlock) { $1.answer() }
        _ = await call(provider(transport))
        #expect(
            events.values
                == ["prepare", "willSend", "progress", "didReceive", "final progress", "process", "completion"])
    }

    @Test func failedRequestHasAFinalEventWithNoResponse() async {
        _ = await call(provider(.failing(.reset)))
        #expect(events.values == ["prepare", "willSend", "didReceive", "progress", "process", "completion"])
    }

    @Test func immediateStubCompletes() async {
        _ = await call(provider(stub: .immediate), reportsProgress: false)
        #expect(events.values == ["prepare", "willSend", "didReceive", "process", "completion"])
    }

    @Test func immediateStubReportsProgressInOrderBeforeRequestReturns() {
        let events = events
        provider(stub: .immediate).request(
            API(), progress: { events.append($0.completed ? "final progress" : "progress") },
            completion: { _ in events.append("completion") })
        #expect(
            events.values
                == ["prepare", "willSend", "progress", "didReceive", "final progress", "process", "completion"])
    }

    @Test func delayedStubIsPreparedAndAnnouncedBeforeRequestReturns() async throws {
        let provider = provider(stub: .delayed(seconds: 3_600))
        let promise = Promise<Void>()
        let token = provider.request(API()) { _ in promise.fulfill(()) }
        #expect(events.values == ["prepare", "willSend"])
        token.cancel()
        try await promise.value
        withExtendedLifetime(provider) {}
    }

    @Test func failedRequestClosureCompletesWithItsError() async {
        let provider = MoyaProvider<API>(
            requestClosure: { _, done in done(.failure(.requestMapping("url"))) }, callbackQueue: queue,
            plugins: [plugin])
        _ = await call(provider)
        #expect(events.values == ["process", "completion"])
    }

    @Test func failureOfTheRequestClosureArrivesBeforeRequestReturns() {
        let provider = MoyaProvider<API>(
            requestClosure: { _, done in done(.failure(.requestMapping("url"))) }, callbackQueue: queue,
            plugins: [plugin])
        provider.request(API()) { [events] _ in events.append("completion") }
        #expect(events.values == ["process", "completion"])
    }

    @Test(arguments: [StubBehavior.never, .immediate, .delayed(seconds: 3_600)])
    func cancellingBeforeTheRequestExistsEndsTheCall(_ stub: StubBehavior) async throws {
        let held = HeldRequest()
        let provider = MoyaProvider<API>(
            requestClosure: { held.closure($0, $1) }, stubClosure: { _ in stub },
            session: Session(transport: StepwiseTransport.answering()), plugins: [plugin])
        let promise = Promise<Result<Response, MoyaError>>()
        let token = provider.request(API()) { promise.fulfill($0) }
        token.cancel()
        #expect(events.values == [])
        try await held.answer()
        #expect(try await promise.value.isCancelled)
        #expect(events.values == ["didReceive", "process"])
    }

    @Test func cancellingAStubBeforeItsDeliveryEndsTheCall() async throws {
        let promise = Promise<Result<Response, MoyaError>>()
        let provider = provider(stub: .delayed(seconds: 3_600))
        let token = provider.request(API()) { promise.fulfill($0) }
        token.cancel()
        #expect(try await promise.value.isCancelled)
        withExtendedLifetime(provider) {}
        #expect(events.values == ["prepare", "willSend", "didReceive", "process"])
    }

    @Test func cancelledRealRequestCompletesOnce() async throws {
        let (transport, exchanges) = StepwiseTransport.waiting()
        let promise = Promise<Result<Response, MoyaError>>()
        let provider = provider(transport)
        let token = provider.request(API()) { promise.fulfill($0) }
        for await _ in exchanges.prefix(1) { token.cancel() }
        #expect(try await promise.value.isCancelled)
        #expect(events.values == ["prepare", "willSend", "didReceive", "process"])
    }

    @Test func getWithABodyIsRefusedBeforeItIsPrepared() async {
        let result = await call(provider(), API(task: .requestData(Data("body".utf8))), reportsProgress: false)
        guard case .underlying(let error, nil) = result.error,
            case .urlRequestValidationFailed(.bodyDataInGETRequest) = error as? SessionError
        else {
            Issue.record("\(result)")
            return
        }
        #expect(events.values == ["didReceive", "process", "completion"])
    }

    @Test func stubOfAGetMayHaveABody() async {
        let result = await call(provider(stub: .immediate), API(task: .requestData(Data("body".utf8))))
        #expect(result.response?.statusCode == 200)
    }

    // MARK: Several plugins

    @Test func everyHookGoesThroughThePluginsInOrder() async {
        let plugins = ["a ", "b "].map { RecordingPlugin(name: $0, events: events) }
        _ = await call(provider(plugins: plugins), reportsProgress: false)
        #expect(
            events.values == [
                "a prepare", "b prepare", "a willSend", "b willSend", "a didReceive", "b didReceive", "a process",
                "b process", "completion",
            ])
    }

    @Test(arguments: [StubBehavior.never, .immediate]) func prepareReceivesThePreviousPluginsRequest(
        _ stub: StubBehavior
    )
        async
    {
        let plugins = ["a", "b"].map { name in
            RecordingPlugin(onPrepare: { request in
                var request = request
                request.setValue((request.value(forHTTPHeaderField: "X") ?? "") + name, forHTTPHeaderField: "X")
                return request
            })
        }
        let result = await call(provider(stub: stub, plugins: plugins))
        #expect(result.response?.request?.value(forHTTPHeaderField: "X") == "ab")
    }

    @Test(arguments: [StubBehavior.never, .immediate]) func willSendSeesThePreparedRequest(_ stub: StubBehavior) async {
        let seen = Recorder<String?>()
        let plugin = RecordingPlugin(
            onPrepare: { request in
                var request = request
                request.setValue("prepared", forHTTPHeaderField: "X")
                return request
            }, onWillSend: { request, _ in seen.append(request.request?.value(forHTTPHeaderField: "X")) })
        _ = await call(provider(stub: stub, plugins: [plugin]))
        #expect(seen.values == ["prepared"])
    }

    @Test func preparedRequestIsSent() async {
        let transport = StepwiseTransport.answering()
        let plugin = RecordingPlugin(onPrepare: { request in
            var request = request
            request.setValue("prepared", forHTTPHeaderField: "X")
            return request
        })
        _ = await call(provider(transport, plugins: [plugin]))
        #expect(transport.requests.values.first?.fields.contains(HTTPField(name: "X", value: "prepared")) == true)
    }

    @Test func anEventMonitorReceivesThePreparedRequest() async {
        let adapted = Recorder<String?>()
        let monitor = ClosureEventMonitor(queue: queue)
        monitor.requestDidAdaptInitialRequestToAdaptedRequest = { _, _, request in
            adapted.append(request.value(forHTTPHeaderField: "X"))
        }
        let plugin = RecordingPlugin(onPrepare: { request in
            var request = request
            request.setValue("prepared", forHTTPHeaderField: "X")
            return request
        })
        let session = Session(eventMonitors: [monitor], transport: StepwiseTransport.answering())
        let provider = MoyaProvider<API>(callbackQueue: queue, session: session, plugins: [plugin])
        _ = await call(provider)
        #expect(adapted.values == ["prepared"])
    }

    @Test func willSendSeesTheSessionsHeaders() async {
        let seen = Recorder<[String: String]>()
        let plugin = RecordingPlugin(onWillSend: { request, _ in seen.append(request.sessionHeaders) })
        _ = await call(provider(stub: .immediate, plugins: [plugin]))
        #expect(seen.values.first?["Accept-Encoding"] != nil)
    }

    @Test func hooksGetTheTargetAsItWasGiven() async {
        let seen = Recorder<Bool>()
        let plugin = RecordingPlugin(onWillSend: { _, target in seen.append(target is MultiTarget) })
        let provider = MoyaProvider<MultiTarget>(stubClosure: MoyaProvider.immediatelyStub, plugins: [plugin])
        _ = await provider.end(of: MultiTarget(GitHub.zen))
        #expect(seen.values == [true])
    }

    @Test(arguments: [StubBehavior.never, .immediate]) func processCanRewriteTheStatusCode(_ stub: StubBehavior) async {
        let plugin = RecordingPlugin(onProcess: { result in
            result.map { Response(statusCode: $0.statusCode + 1, data: $0.data) }
        })
        let result = await call(provider(stub: stub, plugins: [plugin, plugin]))
        #expect(result.response?.statusCode == 202)
    }

    @Test func didReceiveSeesTheResultUnprocessed() async {
        let seen = Recorder<Int?>()
        let plugin = RecordingPlugin(
            onReceive: { seen.append($0.response?.statusCode) },
            onProcess: { $0.map { _ in Response(statusCode: 999, data: Data()) } })
        _ = await call(provider(plugins: [plugin, plugin]))
        #expect(seen.values == [200, 200])
    }

    @Test func requestMadeInsideAHookIsAnswered() async {
        let provider = provider(stub: .immediate, plugins: [])
        let inner = Recorder<String?>()
        let plugin = RecordingPlugin(onWillSend: { _, _ in
            provider.request(API()) { inner.append($0.text) }
        })
        _ = await call(self.provider(plugins: [plugin]))
        #expect(inner.count == 1)
    }

    // MARK: Adapters and retriers

    private struct Signing: RequestInterceptor {
        func adapt(
            _ urlRequest: URLRequest, for session: Session,
            completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
        ) {
            var request = urlRequest
            request.setValue("adapted", forHTTPHeaderField: "X-Session")
            completion(.success(request))
        }
    }

    private struct RetryingOnce: RequestInterceptor {
        func retry(
            _ request: Request, for session: Session, dueTo error: any Error,
            completion: @escaping @Sendable (RetryResult) -> Void
        ) {
            completion(request.retryCount == 0 ? .retry : .doNotRetry)
        }
    }

    /// Alamofire's versions differ in this.
    @Test func sessionAdaptersRunBeforePrepare() async {
        let seen = Recorder<String?>()
        let plugin = RecordingPlugin(onPrepare: { request in
            seen.append(request.value(forHTTPHeaderField: "X-Session"))
            return request
        })
        _ = await call(provider(interceptor: Signing(), plugins: [plugin]))
        #expect(seen.values == ["adapted"])
    }

    @Test func retryPreparesAndSendsAgainAndEndsOnce() async {
        let transport = StepwiseTransport.failing(.reset)
        _ = await call(provider(transport, interceptor: RetryingOnce()), reportsProgress: false)
        #expect(
            events.values
                == ["prepare", "willSend", "prepare", "willSend", "didReceive", "process", "completion"])
        #expect(transport.requests.count == 2)
    }

    @Test func retryPreparesTheUnpreparedRequest() async {
        let plugin = RecordingPlugin(onPrepare: { request in
            var request = request
            request.addValue("once", forHTTPHeaderField: "X")
            return request
        })
        let transport = StepwiseTransport.failing(.reset)
        _ = await call(provider(transport, interceptor: RetryingOnce(), plugins: [plugin]))
        let sent = transport.requests.values.map { $0.fields.filter { $0.name == "X" }.map(\.value) }
        #expect(sent == [["once"], ["once"]])
    }

    // MARK: Results

    @Test func responseHasTheServersParts() async {
        let transport = StepwiseTransport { _, exchange in
            exchange.head(203, ["X-Server": "yes"])
            exchange.chunk(Data("one ".utf8))
            exchange.chunk(Data("two".utf8))
            exchange.end()
        }
        let result = await call(provider(transport))
        #expect(result.response?.statusCode == 203)
        #expect(result.text == "one two")
        #expect(result.response?.response?.value(forHTTPHeaderField: "x-server") == "yes")
    }

    @Test(arguments: [100, 204, 304, 404, 500, 599]) func everyStatusIsASuccessWithoutValidation(_ status: Int) async {
        #expect(await call(provider(.answering(status))).response?.statusCode == status)
    }

    @Test func failedValidationKeepsStatusHeadersAndBody() async {
        let result = await call(provider(.answering(400)), API(validationType: .successCodes))
        let response = result.error?.response
        #expect(response?.statusCode == 400)
        #expect(response?.response?.value(forHTTPHeaderField: "Content-Length") == "6")
        #expect(response.map { String(decoding: $0.data, as: UTF8.self) } == "answer")
    }

    @Test(arguments: [(200, true), (287, false)]) func customCodesAreTheOnlySuccesses(_ status: Int, _ fails: Bool)
        async
    {
        let result = await call(provider(.answering(status)), API(validationType: .customCodes([287])))
        #expect((result.error != nil) == fails)
    }

    @Test func noCustomCodesAreNoValidation() async {
        let result = await call(provider(.answering(500)), API(validationType: .customCodes([])))
        #expect(result.response?.statusCode == 500)
    }

    @Test func failedTransportIsUnderlyingWithItsKind() async {
        let result = await call(provider(.failing(.timeout(.idle))))
        guard case .underlying(let error, nil) = result.error else {
            Issue.record("\(result)")
            return
        }
        #expect(error.asAFError?.transportFailure?.kind == .timeout(.idle))
        #expect((error.asAFError?.underlyingError as? URLError)?.code == .timedOut)
    }

    @Test func truncatedResponseCarriesItsBytes() async {
        let transport = StepwiseTransport { _, exchange in
            exchange.head(200, ["Content-Length": "100"])
            exchange.chunk(Data("half".utf8))
            exchange.end(TransportFailure(.truncated, message: "gone"))
        }
        let response = await call(provider(transport)).error?.response
        #expect(response?.statusCode == 200)
        #expect(response.map { String(decoding: $0.data, as: UTF8.self) } == "half")
    }
}
