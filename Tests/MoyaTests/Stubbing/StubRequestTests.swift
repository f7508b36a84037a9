import Foundation
import Moya
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The parts of a stub that subclasses override or call.
@Suite struct StubRequestTests {
    private let events = Recorder<String>()

    /// Writes down that it stubs, and stubs as its superclass does.
    private final class Provider: MoyaProvider<GitHub>, @unchecked Sendable {
        let stubbed = Recorder<StubBehavior>()

        override func stubRequest(
            _ target: GitHub, request: URLRequest, callbackQueue: DispatchQueue?,
            completion: @escaping SendableCompletion,
            endpoint: Endpoint, stubBehavior: StubBehavior
        ) -> CancellableToken {
            stubbed.append(stubBehavior)
            return super.stubRequest(
                target, request: request, callbackQueue: callbackQueue, completion: completion, endpoint: endpoint,
                stubBehavior: stubBehavior)
        }
    }

    /// Stubs in a way of its own, from the parts.
    private final class OwnProvider: MoyaProvider<GitHub>, @unchecked Sendable {
        override func stubRequest(
            _ target: GitHub, request: URLRequest, callbackQueue: DispatchQueue?,
            completion: @escaping SendableCompletion,
            endpoint: Endpoint, stubBehavior: StubBehavior
        ) -> CancellableToken {
            let token = CancellableToken {}
            let prepared = notifyPluginsOfImpendingStub(for: request, target: target)
            let stub = createStubFunction(
                token, forTarget: target, withCompletion: completion, endpoint: endpoint, plugins: plugins,
                request: prepared)
            stub()
            return token
        }
    }

    /// Completes as its superclass does, and then once more.
    private final class TwiceProvider: MoyaProvider<GitHub>, @unchecked Sendable {
        override func stubRequest(
            _ target: GitHub, request: URLRequest, callbackQueue: DispatchQueue?,
            completion: @escaping SendableCompletion,
            endpoint: Endpoint, stubBehavior: StubBehavior
        ) -> CancellableToken {
            let token = super.stubRequest(
                target, request: request, callbackQueue: callbackQueue, completion: completion, endpoint: endpoint,
                stubBehavior: stubBehavior)
            completion(.failure(.requestMapping("again")))
            return token
        }
    }

    @Test func aStubThatCompletesTwiceCompletesTheCallOnce() {
        let statuses = Recorder<Int?>()
        TwiceProvider(stubClosure: MoyaProvider.immediatelyStub).request(.zen) {
            statuses.append($0.response?.statusCode)
        }
        #expect(statuses.values == [200])
    }

    private func request(_ url: String = "https://example.com") -> URLRequest { URLRequest(url: URL(string: url)!) }

    @Test(arguments: [StubBehavior.immediate, .delayed(seconds: 0)]) func overriddenStubRequestIsUsed(
        _ stub: StubBehavior
    ) async {
        let provider = Provider(stubClosure: { _ in stub })
        #expect(await provider.end(of: .zen).response?.data == GitHub.zen.sampleData)
        #expect(provider.stubbed.values == [stub])
    }

    @Test func overriddenStubRequestIsNotUsedForRealRequests() async {
        let provider = Provider(session: Session(transport: ScriptedTransport.answering()))
        _ = await provider.end(of: .zen)
        #expect(provider.stubbed.values == [])
    }

    @Test func hooksRunOnceThroughAnOverriddenStubRequest() async {
        let provider = Provider(
            stubClosure: MoyaProvider.immediatelyStub, plugins: [RecordingPlugin(events: events)])
        _ = await provider.end(of: .zen)
        #expect(events.values == ["prepare", "willSend", "didReceive", "process"])
    }

    @Test func progressRunsThroughAnOverriddenStubRequest() async {
        let progress = Recorder<Bool>()
        _ = await Provider(stubClosure: MoyaProvider.delayedStub(0))
            .end(of: .zen, progress: { progress.append($0.completed) })
        #expect(progress.values == [false, true])
    }

    @Test func cancellationReachesAnOverriddenStubRequest() async {
        let provider = Provider(stubClosure: MoyaProvider.delayedStub(3_600))
        let promise = Promise<Result<Response, MoyaError>>()
        provider.request(.zen) { promise.fulfill($0) }.cancel()
        #expect(await promise.value.isCancelled)
    }

    @Test func stubMadeOfThePartsIsDelivered() async {
        let provider = OwnProvider(
            stubClosure: MoyaProvider.immediatelyStub, plugins: [RecordingPlugin(events: events)])
        #expect(await provider.end(of: .zen).response?.data == GitHub.zen.sampleData)
        #expect(events.values == ["prepare", "willSend", "didReceive", "process"])
    }

    @Test func cancelCompletionTellsPluginsAndCompletion() {
        let provider = MoyaProvider<GitHub>(plugins: [RecordingPlugin(events: events)])
        let results = Recorder<Result<Response, MoyaError>>()
        provider.cancelCompletion({ results.append($0) }, target: .zen)
        #expect(results.values.map(\.isCancelled) == [true])
        #expect(events.values == ["didReceive"])
    }

    @Test func stubFunctionOfACancelledTokenIsCancelled() {
        let provider = MoyaProvider<GitHub>()
        let results = Recorder<Result<Response, MoyaError>>()
        let token = CancellableToken {}
        let stub = provider.createStubFunction(
            token, forTarget: .zen, withCompletion: { results.append($0) }, endpoint: provider.endpoint(.zen),
            plugins: [], request: request())
        token.cancel()
        stub()
        #expect(results.values.map(\.isCancelled) == [true])
    }

    @Test func notifyingPluginsGivesThePreparedRequest() {
        let plugin = RecordingPlugin(events: events, onPrepare: { _ in request("https://prepared.example.com") })
        let provider = MoyaProvider<GitHub>(plugins: [plugin])
        let prepared = provider.notifyPluginsOfImpendingStub(for: request(), target: .zen)
        #expect(prepared.url?.host == "prepared.example.com")
        #expect(events.values == ["prepare", "willSend"])
    }

    @Test func notifiedPluginsSeeThePreparedRequest() {
        let seen = Recorder<String?>()
        let plugin = RecordingPlugin(
            onPrepare: { _ in request("https://prepared.example.com") },
            onWillSend: { request, _ in seen.append(request.request?.url?.host) })
        _ = MoyaProvider<GitHub>(plugins: [plugin]).notifyPluginsOfImpendingStub(for: request(), target: .zen)
        #expect(seen.values == ["prepared.example.com"])
    }

    /// Moya stops the program here.
    @Test func stubRequestThatIsToStubNothingIsADescribedError() async {
        let provider = MoyaProvider<GitHub>()
        let promise = Promise<Result<Response, MoyaError>>()
        provider.stubRequest(
            .zen, request: request(), callbackQueue: nil, completion: { promise.fulfill($0) },
            endpoint: provider.endpoint(.zen), stubBehavior: .never)
        #expect(await promise.value.error?.localizedDescription.contains(".never") == true)
    }
}
