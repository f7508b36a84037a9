// The samples stand as they do in the guides.
// swift-format-ignore-file
#if TaskAlias
import Foundation
import Moya
import MoyaSession
import Testing

/// Every sample of the guide "Providers", unchanged.
@Suite struct ProvidersGuideTests {
    @Test func providerOfDefaultsHasASessionThatWaitsToBeStarted() {
        let provider = MoyaProvider<MyService>()
        #expect(provider.session.startRequestsImmediately == false)
    }

    @Test func requestTakesATrailingClosure() {
        let provider = MoyaProvider<MyService>(stubClosure: MoyaProvider.immediatelyStub)
        var text: String?
        provider.request(.zen) { result in
            // `result` is either .success(response) or .failure(error)
            text = try? result.get().mapString()
        }
        #expect(text == "Half measures are as bad as nothing at all.")
    }

    @Test func endpointClosureGivesTheProviderItsTarget() {
        let endpointClosure = { (target: MyTarget) -> Endpoint in
            let url = URL(target: target).absoluteString
            return Endpoint(url: url, sampleResponseClosure: {.networkResponse(200, target.sampleData)}, method: target.method, task: target.task, httpHeaderFields: target.headers)
        }
        let provider = MoyaProvider(endpointClosure: endpointClosure)
        #expect(provider.endpoint(.users).url == "https://example.com/api/users")
        #expect(provider.endpoint(.users) == MoyaProvider.defaultEndpointMapping(for: MyTarget.users))
    }

    // The guide leaves out the parentheses around the parameter, which Swift wants.
    @Test func stubClosureMayDifferByTarget() {
        let provider = MoyaProvider<MyTarget>(stubClosure: { (target: MyTarget) -> Moya.StubBehavior in
            switch target {
                /* Return something different based on the target. */
            case .users: return .immediate
            case .create: return .delayed(seconds: 0.2)
            }
        })
        #expect(provider.stubClosure(.users) == .immediate)
        #expect(provider.stubClosure(.create(name: "")) == .delayed(seconds: 0.2))
    }

    @Test func threeClassMethodsStubAllTargetsAlike() {
        let seconds = 3.0
        let providers: [MoyaProvider<MyTarget>] = [
            MoyaProvider(stubClosure: MoyaProvider.neverStub),
            MoyaProvider(stubClosure: MoyaProvider.immediatelyStub),
            MoyaProvider(stubClosure: MoyaProvider.delayedStub(seconds)),
        ]
        #expect(providers.map { $0.stubClosure(.users) } == [.never, .immediate, .delayed(seconds: 3)])
    }

    @Test func closureOfOneLineStubsAtOnce() {
        let provider = MoyaProvider<MyTarget>(stubClosure: { (_: MyTarget) -> Moya.StubBehavior in return .immediate })
        #expect(provider.stubClosure(.users) == .immediate)
    }

    @Test func classMethodStubsAtOnce() {
        let provider = MoyaProvider<MyTarget>(stubClosure: MoyaProvider.immediatelyStub)
        #expect(provider.stubClosure(.users) == .immediate)
    }

    @Test func shorthandClosureStubsAtOnce() {
        let provider = MoyaProvider<MyTarget>(stubClosure: { _ in .immediate })
        #expect(provider.stubClosure(.users) == .immediate)
    }

    static func defaultAlamofireSession() -> Session {
        let configuration = URLSessionConfiguration.default
        configuration.headers = .default

        return Session(configuration: configuration, startRequestsImmediately: false)
    }

    @Test func sessionIsMadeOfAConfigurationWithTheDefaultHeaders() {
        let session = Self.defaultAlamofireSession()
        #expect(session.sessionConfiguration.headers.dictionary == HTTPHeaders.default.dictionary)
        #expect(session.startRequestsImmediately == false)
    }

    @Test func sessionThatPinsIsTheProvidersOwn() throws {
        let configuration = URLSessionConfiguration.default
        let serverTrustManager = ServerTrustManager(evaluators: ["example.com": PinnedCertificatesTrustEvaluator()])

        let session = Session(
            configuration: configuration, 
            startRequestsImmediately: false, 
            serverTrustManager: serverTrustManager
        )

        let provider = MoyaProvider<MyTarget>(session: session)
        #expect(provider.session === session)
        #expect(try provider.session.serverTrustManager?.serverTrustEvaluator(forHost: "example.com") is PinnedCertificatesTrustEvaluator)
    }

    @Test func loggerIsAPlugin() {
        let provider = MoyaProvider<MyTarget>(plugins: [NetworkLoggerPlugin()])
        #expect(provider.plugins.first is NetworkLoggerPlugin)
    }

    @Test func pluginOfTheGuideIsNotifiedOfTheBeginningAndTheEnd() {
        var changes: [String] = []
        let plugin = NetworkActivityPlugin(networkActivityClosure: { change, target in
            changes.append("\(change) \(target.path)")
        })
        let provider = MoyaProvider<MyTarget>(stubClosure: MoyaProvider.immediatelyStub, plugins: [plugin])
        provider.request(.users) { _ in }
        #expect(changes == ["began users", "ended users"])
    }

    @Test func trackInflightsIsTheLastArgument() {
        let provider = MoyaProvider<MyTarget>(trackInflights: true)
        #expect(provider.trackInflights)
        #expect(provider.inflightRequests.isEmpty)
    }
}

// As in the guide; the name is the app's own here, and wins over Moya's.
public final class NetworkActivityPlugin: PluginType {

    public typealias NetworkActivityClosure = (_ change: NetworkActivityChangeType, _ target: TargetType) -> Void
    let networkActivityClosure: NetworkActivityClosure

    public init(networkActivityClosure: @escaping NetworkActivityClosure) {
        self.networkActivityClosure = networkActivityClosure
    }

    // MARK: Plugin

    /// Called by the provider as soon as the request is about to start
    public func willSend(_ request: RequestType, target: TargetType) {
        networkActivityClosure(.began, target)
    }

    /// Called by the provider as soon as a response arrives, even if the request is canceled.
    public func didReceive(_ result: Result<Moya.Response, MoyaError>, target: TargetType) {
        networkActivityClosure(.ended, target)
    }
}
#endif
