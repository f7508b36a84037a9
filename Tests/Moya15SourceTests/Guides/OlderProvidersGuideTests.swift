// The samples stand as they do in the guides.
// swift-format-ignore-file
#if TaskAlias
import Foundation
import Moya
import MoyaSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The guides of Moya 7 to 14: the samples that today's names have replaced.
@available(*, deprecated, message: "Uses the older names on purpose.")
enum OlderGuides {
    // "Providers", Moya 10 to 14.
    static func defaultAlamofireManager() -> Manager {
        let configuration = URLSessionConfiguration.default
        configuration.httpAdditionalHeaders = Manager.defaultHTTPHeaders

        let manager = Manager(configuration: configuration, startRequestsImmediately: false)
        return manager
    }

    static func providerWithManager() -> (MoyaProvider<MyTarget>, Session) {
        let manager = Manager(
            configuration: URLSessionConfiguration.default,
            serverTrustManager: ServerTrustManager(evaluators: ["example.com": PinnedCertificatesTrustEvaluator()])
        )

        let provider = MoyaProvider<MyTarget>(manager: manager)
        return (provider, manager)
    }

    static func endpointWithoutHeaders() -> Endpoint {
        let target = MyTarget.users
        let url = URL(target: target).absoluteString
        return Endpoint(url: url, sampleResponseClosure: {.networkResponse(200, target.sampleData)}, method: target.method, task: target.task)
    }

    static func activity(_ tell: @escaping (NetworkActivityChangeType) -> ()) -> PluginType {
        Moya.NetworkActivityPlugin { (change: NetworkActivityChangeType) -> () in
            tell(change)
        }
    }

    // "Composing Provider".
    final class OnlineProvider<Target> where Target: Moya.TargetType {
        let provider: MoyaProvider<Target>

        init(endpointClosure: @escaping MoyaProvider<Target>.EndpointClosure = MoyaProvider.defaultEndpointMapping,
             requestClosure: @escaping MoyaProvider<Target>.RequestClosure = MoyaProvider<Target>.defaultRequestMapping,
             stubClosure: @escaping MoyaProvider<Target>.StubClosure = MoyaProvider.neverStub,
             manager: Manager = MoyaProvider<Target>.defaultAlamofireManager(),
             plugins: [PluginType] = [],
             trackInflights: Bool = false) {

                 self.provider = MoyaProvider(endpointClosure: endpointClosure, requestClosure: requestClosure, stubClosure: stubClosure, manager: manager, plugins: plugins, trackInflights: trackInflights)
             }
    }

    static func composed() -> MoyaProvider<MyTarget> {
        let endpointClosure = { (target: MyTarget) -> Endpoint in MoyaProvider.defaultEndpointMapping(for: target) }
        let myServiceProvider = OnlineProvider(endpointClosure: endpointClosure, plugins: [NetworkLoggerPlugin()])
        return myServiceProvider.provider
    }

    static func everyArgument(_ session: SessionManager) -> MoyaProvider<MyTarget> {
        MoyaProvider<MyTarget>(endpointClosure: MoyaProvider.defaultEndpointMapping, requestClosure: MoyaProvider<MyTarget>.defaultRequestMapping, stubClosure: MoyaProvider.immediatelyStub, callbackQueue: .main, manager: session, plugins: [NetworkLoggerPlugin()], trackInflights: true)
    }

    // "Subclassing Provider", Moya 7, without RxSwift and in the current spelling.
    class MyServiceProvider: MoyaProvider<MyService> {
        var refreshed = 0

        init(endpointClosure: @escaping MoyaProvider<MyService>.EndpointClosure = MoyaProvider.DefaultEndpointMapping,
             requestClosure: @escaping MoyaProvider<MyService>.RequestClosure = MoyaProvider<MyService>.DefaultRequestMapping,
             stubClosure: @escaping MoyaProvider<MyService>.StubClosure = MoyaProvider.NeverStub,
             manager: Manager = Manager.sharedInstance,
             plugins: [PluginType] = []) {

            super.init(endpointClosure: endpointClosure, requestClosure: requestClosure, stubClosure: stubClosure, session: manager, plugins: plugins)
        }
    }

    static func stubs() -> [StubBehavior] {
        let seconds = 2.0
        let providers: [MoyaProvider<MyTarget>] = [
            MoyaProvider(stubClosure: MoyaProvider.NeverStub),
            MoyaProvider(stubClosure: MoyaProvider.ImmediatelyStub),
            MoyaProvider(stubClosure: MoyaProvider.DelayedStub(seconds)),
            MoyaProvider(stubClosure: { _ in .Never }),
            MoyaProvider(stubClosure: { _ in .Immediate }),
            MoyaProvider(stubClosure: { _ in .Delayed(seconds: 2) }),
        ]
        return providers.map { $0.stubClosure(.users) }
    }

    static func errors() -> [MoyaError] {
        let response = Response(statusCode: 401, data: Data())
        let error = NSError(domain: "d", code: 1)
        return [.StatusCode(response), .ImageMapping(response), .JSONMapping(response), .StringMapping(response), .Underlying(error), .underlying(error)]
    }
}

/// Calls the older names where a call produces no warning.
protocol OlderSpellings {
    func managerOfMyOwn() -> Session
    func providerWithManager() -> (MoyaProvider<MyTarget>, Session)
    func managerOf(_ provider: MoyaProvider<MyTarget>) -> Session
    func endpointWithoutHeaders() -> Endpoint
    func activity(_ tell: @escaping (NetworkActivityChangeType) -> ()) -> PluginType
    func composed() -> MoyaProvider<MyTarget>
    func everyArgument(_ session: Session) -> MoyaProvider<MyTarget>
    func subclass() -> MoyaProvider<MyService>
    func stubs() -> [StubBehavior]
    func errors() -> [MoyaError]
    func defaultSessions() -> [Session]
}

struct Moya7: OlderSpellings {}

extension Moya7 {
    @available(*, deprecated) func managerOfMyOwn() -> Session { OlderGuides.defaultAlamofireManager() }
    @available(*, deprecated) func providerWithManager() -> (MoyaProvider<MyTarget>, Session) { OlderGuides.providerWithManager() }
    @available(*, deprecated) func managerOf(_ provider: MoyaProvider<MyTarget>) -> Session { provider.manager }
    @available(*, deprecated) func endpointWithoutHeaders() -> Endpoint { OlderGuides.endpointWithoutHeaders() }
    @available(*, deprecated) func activity(_ tell: @escaping (NetworkActivityChangeType) -> ()) -> PluginType { OlderGuides.activity(tell) }
    @available(*, deprecated) func composed() -> MoyaProvider<MyTarget> { OlderGuides.composed() }
    @available(*, deprecated) func everyArgument(_ session: Session) -> MoyaProvider<MyTarget> { OlderGuides.everyArgument(session) }
    @available(*, deprecated) func subclass() -> MoyaProvider<MyService> { OlderGuides.MyServiceProvider(stubClosure: MoyaProvider.ImmediatelyStub) }
    @available(*, deprecated) func stubs() -> [StubBehavior] { OlderGuides.stubs() }
    @available(*, deprecated) func errors() -> [MoyaError] { OlderGuides.errors() }
    @available(*, deprecated) func defaultSessions() -> [Session] { [MoyaProvider<MyTarget>.defaultAlamofireManager(), MoyaProvider<MyTarget>.DefaultAlamofireManager()] }
}

@Suite struct OlderProvidersGuideTests {
    private let older: OlderSpellings = Moya7()

    @Test func managerIsASessionWithTheDefaultHeaders() {
        let manager = older.managerOfMyOwn()
        #expect(manager.startRequestsImmediately == false)
        #expect(manager.sessionConfiguration.headers["Accept-Encoding"] == "br;q=1.0, gzip;q=0.9, deflate;q=0.8")
    }

    @Test func managerGivenIsTheSession() {
        let (provider, manager) = older.providerWithManager()
        #expect(provider.session === manager)
        #expect(older.managerOf(provider) === manager)
    }

    @Test func argumentsAroundTheManagerAreKept() {
        let session = Session()
        let provider = older.everyArgument(session)
        #expect(provider.session === session)
        #expect(provider.stubClosure(.users) == .immediate)
        #expect(provider.plugins.count == 1)
        #expect(provider.trackInflights)
    }

    @Test func defaultManagersWaitToBeStarted() {
        #expect(older.defaultSessions().map(\.startRequestsImmediately) == [false, false])
    }

    @Test func endpointWithoutHeadersHasNone() {
        #expect(older.endpointWithoutHeaders().httpHeaderFields == nil)
    }

    @Test func activityClosureMayTakeTheChangeAlone() {
        var changes: [NetworkActivityChangeType] = []
        let provider = MoyaProvider<MyTarget>(stubClosure: MoyaProvider.immediatelyStub, plugins: [older.activity { changes.append($0) }])
        provider.request(.users) { _ in }
        #expect(changes == [.began, .ended])
    }

    @Test func composedProviderTakesAManager() {
        let provider = older.composed()
        #expect(provider.plugins.first is NetworkLoggerPlugin)
        #expect(provider.endpoint(.users).url == "https://example.com/api/users")
    }

    @Test func subclassOfMoya7CallsItsTargets() {
        let provider = older.subclass()
        #expect(provider.session === Session.default)
        var code: Int?
        provider.request(.zen) { code = try? $0.get().statusCode }
        #expect(code == 200)
    }

    @Test func capitalizedStubsEqualCurrentNames() {
        #expect(older.stubs() == [.never, .immediate, .delayed(seconds: 2), .never, .immediate, .delayed(seconds: 2)])
    }

    @Test func capitalizedErrorsEqualCurrentNames() {
        #expect(older.errors().map { ($0 as NSError).code } == [5, 0, 1, 2, 6, 6])
    }
}
#endif
