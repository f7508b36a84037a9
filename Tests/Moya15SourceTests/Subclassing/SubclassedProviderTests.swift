#if TaskAlias
import Foundation
import Moya
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A provider of the app's that overrides everything that can be.
final class RecordingProvider<Target: TargetType>: MoyaProvider<Target> {
    var events: [String] = []
    private let prefix: String

    init(prefix: String, stubClosure: @escaping StubClosure = MoyaProvider.immediatelyStub, plugins: [PluginType] = [])
    {
        self.prefix = prefix
        super.init(stubClosure: stubClosure, plugins: plugins)
    }

    override func endpoint(_ token: Target) -> Endpoint {
        events.append("endpoint")
        return super.endpoint(token).adding(newHTTPHeaderFields: ["X-Prefix": prefix])
    }

    @discardableResult
    override func request(
        _ target: Target, callbackQueue: DispatchQueue? = .none, progress: ProgressBlock? = .none,
        completion: @escaping Completion
    ) -> Cancellable {
        events.append("request")
        return super.request(target, callbackQueue: callbackQueue, progress: progress) { result in
            self.events.append("completion")
            completion(result)
        }
    }

    @discardableResult
    override func stubRequest(
        _ target: Target, request: URLRequest, callbackQueue: DispatchQueue?, completion: @escaping Moya.Completion,
        endpoint: Endpoint, stubBehavior: Moya.StubBehavior
    ) -> CancellableToken {
        events.append("stubRequest")
        return super.stubRequest(
            target, request: request, callbackQueue: callbackQueue, completion: completion, endpoint: endpoint,
            stubBehavior: stubBehavior)
    }

    override var inflightRequests: [Endpoint: [Moya.Completion]] {
        events.append("inflightRequests")
        return super.inflightRequests
    }
}

/// A provider that overrides the designated initializer, as Moya 15 declares it.
class BaseProvider<T: TargetType>: MoyaProvider<T> {
    override init(
        endpointClosure: @escaping EndpointClosure = MoyaProvider.defaultEndpointMapping,
        requestClosure: @escaping RequestClosure = MoyaProvider<T>.defaultRequestMapping,
        stubClosure: @escaping StubClosure = MoyaProvider.neverStub,
        callbackQueue: DispatchQueue? = nil,
        session: Session = MoyaProvider<T>.defaultAlamofireSession(),
        plugins: [PluginType] = [],
        trackInflights: Bool = false
    ) {
        super.init(
            endpointClosure: endpointClosure, requestClosure: requestClosure, stubClosure: stubClosure,
            callbackQueue: callbackQueue, session: session, plugins: plugins + [NetworkLoggerPlugin.default],
            trackInflights: trackInflights)
    }

    convenience init(stubbed: Bool) {
        self.init(stubClosure: stubbed ? MoyaProvider.immediatelyStub : MoyaProvider.neverStub)
    }
}

/// A provider of one target that retries once by itself.
class RetryingProvider: MoyaProvider<GitHub> {
    var attempts = 0

    @discardableResult
    override func request(
        _ target: GitHub, callbackQueue: DispatchQueue?, progress: ProgressBlock?,
        completion: @escaping (Result<Moya.Response, MoyaError>) -> Void
    ) -> Cancellable {
        attempts += 1
        return super.request(target, callbackQueue: callbackQueue, progress: progress) { [weak self] result in
            guard let self = self, case .failure = result, self.attempts < 2 else { return completion(result) }
            self.request(target, callbackQueue: callbackQueue, progress: progress, completion: completion)
        }
    }
}

/// A stand-in for a provider in an app's tests.
final class FakeProvider: MoyaProviderType {
    var requested: [GitHub] = []
    var completions: [Completion] = []

    func request(
        _ target: GitHub, callbackQueue: DispatchQueue?, progress: Moya.ProgressBlock?,
        completion: @escaping Moya.Completion
    ) -> Cancellable {
        requested.append(target)
        completions.append(completion)
        return FakeCall()
    }
}

class FakeCall: Cancellable {
    var isCancelled = false
    func cancel() { isCancelled = true }
}

func load<P: MoyaProviderType>(_ target: P.Target, with provider: P, completion: @escaping Completion) -> Cancellable {
    provider.request(target, callbackQueue: nil, progress: nil, completion: completion)
}

@Suite struct SubclassedProviderTests {
    @Test func overriddenMethodsAreCalledInOrder() {
        let provider = RecordingProvider<GitHub>(prefix: "p")
        var header: String?
        provider.request(.zen) { header = try? $0.get().request?.value(forHTTPHeaderField: "X-Prefix") }
        #expect(header == "p")
        #expect(provider.events == ["request", "endpoint", "stubRequest", "completion"])
    }

    @Test func overriddenPropertyIsRead() {
        let provider = RecordingProvider<GitHub>(prefix: "p")
        #expect(provider.inflightRequests.isEmpty)
        #expect(provider.events == ["inflightRequests"])
    }

    @Test func overriddenInitializerAddsAPlugin() {
        let provider = BaseProvider<GitHub>(stubbed: true)
        #expect(provider.plugins.count == 1)
        #expect(provider.stubClosure(.zen) == .immediate)
    }

    @Test func subclassTakesAllArgumentsOfMoyas() {
        let provider = BaseProvider<GitHub>(
            endpointClosure: { MoyaProvider.defaultEndpointMapping(for: $0) }, session: Session(), trackInflights: true)
        #expect(provider.trackInflights)
        #expect(provider.session.startRequestsImmediately)
    }

    @Test func overriddenRequestCallsItselfAgain() {
        let failing = { (target: GitHub) -> Endpoint in
            Endpoint(
                url: "https://example.com", sampleResponseClosure: { .networkError(NSError(domain: "d", code: 5)) },
                method: .get, task: .requestPlain, httpHeaderFields: nil)
        }
        let provider = RetryingProvider(endpointClosure: failing, stubClosure: MoyaProvider.immediatelyStub)
        var code: Int?
        provider.request(.zen, callbackQueue: nil, progress: nil) { result in
            if case .failure(.underlying(let error as NSError, nil)) = result { code = error.code }
        }
        #expect(provider.attempts == 2)
        #expect(code == 5)
    }

    @Test func fakeProviderReplacesAnother() {
        let fake = FakeProvider()
        var code: Int?
        let call = load(.zen, with: fake) { code = try? $0.get().statusCode }
        fake.completions[0](.success(Response(statusCode: 418, data: Data())))
        call.cancel()
        #expect(code == 418)
        #expect(call.isCancelled)
        #expect(fake.requested.count == 1)
    }
}
#endif
