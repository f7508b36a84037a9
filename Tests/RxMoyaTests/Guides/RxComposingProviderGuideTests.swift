#if RxMoya
import Foundation
import Moya
import MoyaTesting
import RxMoya
@preconcurrency import RxSwift
import Testing

/// The guide "Composing Provider", in today's Swift.
final class OnlineProvider<Target> where Target: Moya.TargetType {
    private let provider: MoyaProvider<Target>

    // Observable that emits a boolean value to indicate if we are online or offline
    private let online: Observable<Bool>

    // initialize our custom provider with all default values from MoyaProvider
    // and the online observable
    init(
        endpointClosure: @escaping MoyaProvider<Target>.EndpointClosure = MoyaProvider.defaultEndpointMapping,
        requestClosure: @escaping MoyaProvider<Target>.RequestClosure = MoyaProvider<Target>.defaultRequestMapping,
        stubClosure: @escaping MoyaProvider<Target>.StubClosure = MoyaProvider.neverStub,
        session: Session = MoyaProvider<Target>.defaultAlamofireSession(),
        plugins: [any PluginType] = [],
        trackInflights: Bool = false,
        online: Observable<Bool>
    ) {
        self.online = online
        self.provider = MoyaProvider(
            endpointClosure: endpointClosure, requestClosure: requestClosure, stubClosure: stubClosure,
            session: session, plugins: plugins, trackInflights: trackInflights)
    }

    func request(_ token: Target) -> Single<Moya.Response> {
        let actualRequest = provider.rx.request(token)

        return
            online
            .filter { $0 }  // Wait until we are online
            .take(1)  // Take 1 to make sure we only invoke the API once.
            .flatMap { _ in  // Turn the online state into a network request
                actualRequest
            }
            .asSingle()
    }
}

@Suite(.timeLimit(.minutes(5))) struct RxComposingProviderGuideTests {
    private func provider(_ server: LoopbackServer, _ online: Observable<Bool>) -> OnlineProvider<MyAPI> {
        OnlineProvider(endpointClosure: MyAPI.endpoints(at: server.url), plugins: [], online: online)
    }

    /// Makes a call of another provider, so that earlier calls have arrived.
    private func callOnline(_ server: LoopbackServer) async throws {
        let myServiceProvider = provider(server, .just(true))
        _ = try await Watched(myServiceProvider.request(.users)).text()
    }

    @Test func theCallWaitsUntilItIsOnline() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "users") }
        let online = BehaviorSubject(value: false)
        let myServiceProvider = provider(server, online)
        let watcher = Watched(myServiceProvider.request(.users))
        try await callOnline(server)
        #expect(server.requestCount == 1)
        online.onNext(true)
        #expect(try await watcher.text() == "users")
        #expect(server.requests.map(\.path) == ["/users", "/users"])
    }

    @Test func goingOnlineAgainMakesNoFurtherCall() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "users") }
        let online = BehaviorSubject(value: true)
        let myServiceProvider = provider(server, online)
        let watcher = Watched(myServiceProvider.request(.users))
        online.onNext(false)
        online.onNext(true)
        #expect(try await watcher.text() == "users")
        #expect(server.requestCount == 1)
    }

    @Test func callerThatLeavesWhileOfflineNeverCalls() async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        let online = BehaviorSubject(value: false)
        let myServiceProvider = provider(server, online)
        myServiceProvider.request(.users).subscribe().dispose()
        online.onNext(true)
        #expect(!online.hasObservers)
        try await callOnline(server)
        #expect(server.requestCount == 1)
    }

    @Test func stubsNeedNoServer() async throws {
        let myServiceProvider = OnlineProvider<MyAPI>(stubClosure: MoyaProvider.immediatelyStub, online: .just(true))
        #expect(try await Watched(myServiceProvider.request(.users)).text() == "sample")
    }
}
#endif
