import Foundation
import Moya
import MoyaTesting
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

    /// Stubs with an endpoint of its own.
    private final class FixtureProvider: MoyaProvider<GitHub>, @unchecked Sendable {
        override func stubRequest(
            _ target: GitHub, request: URLRequest, callbackQueue: DispatchQueue?,
            completion: @escaping SendableCompletion,
            endpoint: Endpoint, stubBehavior: StubBehavior
        ) -> CancellableToken {
            let fixture = Endpoint(
                url: endpoint.url, sampleResponseClosure: { .networkResponse(200, Data("fixture".utf8)) },
                method: endpoint.method, task: endpoint.task, httpHeaderFields: nil)
            return super.stubRequest(
                target, request: request, callbackQueue: callbackQueue, completion: completion, endpoint: fixture,
                stubBehavior: stubBehavior)
        }
    }

    /// Stubs from the parts.
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
        let provider = Provider(session: Session(transport: StepwiseTransport.answering()))
        _ = await provider.end(of: .zen)
        #expect(provider.stubbed.values == [])
    }

    @Test func hooksRunOnceThroughAnOverriddenStubRequest() async {
        let provider = Provider(
            stubClosure: MoyaProvider.immediatelyStub, plugins: [RecordingPlugin(events: events)])
        _ = await provider.end(of: .zen)
        #expect(events.values == ["prepare", "willSend", "didReceive", "process"])
    }

    @Test func hooksRunOnceThroughAnOverriddenStubRequestWherePluginsArePlaced() async {
        let provider = Provider(
            stubClosure: MoyaProvider.immediatelyStub, middleware: [.plugins],
            plugins: [RecordingPlugin(events: events)])
        _ = await provider.end(of: .zen)
        #expect(events.values == ["prepare", "willSend", "didReceive", "process"])
    }

    @Test func hooksRunOnceForAStubWithAnotherEndpoint() async throws {
        let provider = FixtureProvider(
            stubClosure: MoyaProvider.immediatelyStub, middleware: [.plugins],
            plugins: [RecordingPlugin(events: events)])
        #expect(try await provider.end(of: .zen).get().data == Data("fixture".utf8))
        #expect(events.values == ["prepare", "willSend", "didReceive", "process"])
    }

    @Test func progressRunsForAStubWithAnotherEndpoint() async {
        let progress = Recorder<Bool>()
        _ = await FixtureProvider(stubClosure: MoyaProvider.delayedStub(0))
            .end(of: .zen, progress: { progress.append($0.completed) })
        #expect(progress.values == [false, true])
    }

    @Test func theLimitOfACallAppliesToAStubWithAnotherEndpoint() async {
        let provider = FixtureProvider(stubClosure: MoyaProvider.immediatelyStub)
        await #expect(throws: MoyaError.self) { try await provider.request(.zen, maximumResponseBytes: 2) }
    }

    @Test func progressRunsThroughAnOverriddenStubRequest() async {
        let progress = Recorder<Bool>()
        _ = await Provider(stubClosure: MoyaProvider.delayedStub(0))
            .end(of: .zen, progress: { progress.append($0.completed) })
        #expect(progress.values == [false, true])
    }

    @Test func progressRunsThroughAnOverriddenStubRequestAndMiddleware() async {
        let progress = Recorder<Bool>()
        let provider = Provider(
            stubClosure: MoyaProvider.delayedStub(0), middleware: [ClosureMiddleware.waiting(.zero)])
        _ = await provider.end(of: .zen, progress: { progress.append($0.completed) })
        #expect(progress.values == [false, true])
    }

    @Test(arguments: [true, false]) func stubMadeOfThePartsHasALastEvent(_ passesMiddleware: Bool) async {
        let progress = Recorder<Bool>()
        let provider = OwnProvider(
            stubClosure: MoyaProvider.immediatelyStub,
            middleware: passesMiddleware ? [ClosureMiddleware.waiting(.zero)] : [])
        _ = await provider.end(of: .zen, progress: { progress.append($0.completed) })
        #expect(progress.values == [true])
    }

    @Test func stubMadeOfThePartsReleasesItsProgress() {
        final class Held: Sendable {}
        weak var left: Held?
        let provider = OwnProvider(stubClosure: MoyaProvider.immediatelyStub)
        do {
            let held = Held()
            left = held
            provider.request(.zen, progress: { _ in withExtendedLifetime(held) {} }, completion: { _ in })
        }
        #expect(left == nil)
        withExtendedLifetime(provider) {}
    }

    @Test func progressOfAStubMadeOfThePartsNeverReachesAnother() {
        /// Makes the first stub of the parts, and the others as its superclass does.
        final class MixedProvider: MoyaProvider<GitHub>, @unchecked Sendable {
            let stubbed = Recorder<Void>()

            override func stubRequest(
                _ target: GitHub, request: URLRequest, callbackQueue: DispatchQueue?,
                completion: @escaping SendableCompletion, endpoint: Endpoint, stubBehavior: StubBehavior
            ) -> CancellableToken {
                stubbed.append(())
                guard stubbed.count == 1 else {
                    return super.stubRequest(
                        target, request: request, callbackQueue: callbackQueue, completion: completion,
                        endpoint: endpoint, stubBehavior: stubBehavior)
                }
                let token = CancellableToken {}
                createStubFunction(
                    token, forTarget: target, withCompletion: completion, endpoint: endpoint, plugins: plugins,
                    request: request)()
                return token
            }
        }
        // One object for every call stands for an address that is used again.
        let endpoint = MoyaProvider.defaultEndpointMapping(for: GitHub.zen)
        let provider = MixedProvider(endpointClosure: { _ in endpoint }, stubClosure: MoyaProvider.immediatelyStub)
        let progress = Recorder<Bool>()
        provider.request(.zen, progress: { progress.append($0.completed) }, completion: { _ in })
        progress.removeAll()
        provider.request(.zen) { _ in }
        #expect(provider.stubbed.count == 2)
        #expect(progress.values == [])
    }

    /// A token whose action owns an object that makes the call when it is released.
    @Test func ownerOfATokenMayMakeItsCallWhenReleased() async throws {
        final class Asking: @unchecked Sendable {
            let call: Recorder<any Cancellable>

            init(_ call: Recorder<any Cancellable>) { self.call = call }

            deinit { _ = call.values.first?.isCancelled }
        }
        final class AskingProvider: MoyaProvider<GitHub>, @unchecked Sendable {
            let calls = Recorder<any Cancellable>()
            let answer = Promise<@Sendable () -> Void>()

            override func stubRequest(
                _ target: GitHub, request: URLRequest, callbackQueue: DispatchQueue?,
                completion: @escaping SendableCompletion, endpoint: Endpoint, stubBehavior: StubBehavior
            ) -> CancellableToken {
                answer.fulfill { completion(.success(Response(statusCode: 200, data: Data()))) }
                let asking = Asking(calls)
                return CancellableToken { withExtendedLifetime(asking) {} }
            }
        }
        let provider = AskingProvider(stubClosure: MoyaProvider.immediatelyStub)
        let ends = Promise<Int?>()
        provider.calls.append(provider.request(.zen) { ends.fulfill($0.response?.statusCode) })
        try await provider.answer.value()
        #expect(try await ends.value == 200)
        provider.calls.removeAll()
    }

    @Test func cancellationReachesAnOverriddenStubRequest() async throws {
        let provider = Provider(stubClosure: MoyaProvider.delayedStub(3_600))
        let promise = Promise<Result<Response, MoyaError>>()
        provider.request(.zen) { promise.fulfill($0) }.cancel()
        #expect(try await promise.value.isCancelled)
    }

    @Test func stubMadeOfThePartsIsDelivered() async {
        let provider = OwnProvider(
            stubClosure: MoyaProvider.immediatelyStub, plugins: [RecordingPlugin(events: events)])
        #expect(await provider.end(of: .zen).response?.data == GitHub.zen.sampleData)
        #expect(events.values == ["prepare", "willSend", "didReceive", "process"])
    }

    @Test func cancelCompletionNotifiesPluginsAndCompletion() {
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
    @Test func stubRequestThatIsToStubNothingIsADescribedError() async throws {
        let provider = MoyaProvider<GitHub>()
        let promise = Promise<Result<Response, MoyaError>>()
        provider.stubRequest(
            .zen, request: request(), callbackQueue: nil, completion: { promise.fulfill($0) },
            endpoint: provider.endpoint(.zen), stubBehavior: .never)
        #expect(try await promise.value.error?.localizedDescription.contains(".never") == true)
    }
}
