// The samples stand as they do in the guides.
// swift-format-ignore-file
#if TaskAlias
import Foundation
import Moya
import Testing

/// The guide "Composing Provider", with a plain closure where it has an observable.
final class OnlineProvider<Target> where Target: Moya.TargetType {
    private let provider: MoyaProvider<Target>

    // Calls back once we are online
    private let online: (@escaping () -> Void) -> Void

    // initialize our custom provider with all default values from MoyaProvider
    // and the online closure
    init(endpointClosure: @escaping MoyaProvider<Target>.EndpointClosure = MoyaProvider.defaultEndpointMapping,
         requestClosure: @escaping MoyaProvider<Target>.RequestClosure = MoyaProvider<Target>.defaultRequestMapping,
         stubClosure: @escaping MoyaProvider<Target>.StubClosure = MoyaProvider.neverStub,
         session: Session = MoyaProvider<Target>.defaultAlamofireSession(),
         plugins: [PluginType] = [],
         trackInflights: Bool = false,
         online: @escaping (@escaping () -> Void) -> Void) {

             self.online = online
             self.provider = MoyaProvider(endpointClosure: endpointClosure, requestClosure: requestClosure, stubClosure: stubClosure, session: session, plugins: plugins, trackInflights: trackInflights)
         }

    func request(_ token: Target, completion: @escaping Completion) {
        online { // Wait until we are online
            self.provider.request(token, completion: completion)
        }
    }
}

@Suite struct ComposingProviderGuideTests {
    @Test func composedProviderWaitsUntilItIsOnline() {
        var goOnline: () -> Void = {}
        let myServiceProvider = OnlineProvider<MyAPI>(stubClosure: MoyaProvider.immediatelyStub, online: { goOnline = $0 })
        var body: String?
        myServiceProvider.request(MyAPI.users) { body = try? $0.get().mapString() }
        #expect(body == nil)
        goOnline()
        #expect(body == "sample of users")
    }

    @Test func composedProviderTakesParametersAndKnowsItsTarget() {
        let endpointClosure = { (target: MyAPI) -> Endpoint in
            MoyaProvider.defaultEndpointMapping(for: target).adding(newHTTPHeaderFields: ["X-Composed": "yes"])
        }
        let myServiceProvider = OnlineProvider(endpointClosure: endpointClosure, stubClosure: { _ in .immediate }, plugins: [], online: { $0() })
        var header: String?
        myServiceProvider.request(MyAPI.users) { header = try? $0.get().request?.value(forHTTPHeaderField: "X-Composed") }
        #expect(header == "yes")
    }
}
#endif
