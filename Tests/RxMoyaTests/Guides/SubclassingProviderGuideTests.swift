#if RxMoya
import Foundation
import Moya
import MoyaTesting
import RxMoya
@preconcurrency import RxSwift
import MoyaTransport
import Testing

/// The guide "Subclassing Provider and refreshing session automatically", in current Swift; each provider has its own
/// user and router, so that tests do not share them.
@available(*, deprecated, message: "Subclasses RxMoyaProvider on purpose.")
class RefreshingProvider: RxMoyaProvider<MyService>, @unchecked Sendable {
    let userInfo = UserInfo()
    let router = Router()

    // First of all, we need to override designated initializer
    override init(
        endpointClosure: @escaping MoyaProvider<MyService>.EndpointClosure = MoyaProvider.defaultEndpointMapping,
        requestClosure: @escaping MoyaProvider<MyService>.RequestClosure =
            MoyaProvider<MyService>.defaultRequestMapping,
        stubClosure: @escaping MoyaProvider<MyService>.StubClosure = MoyaProvider.neverStub,
        callbackQueue: DispatchQueue? = nil,
        session: Session = .default,
        plugins: [any PluginType] = [],
        trackInflights: Bool = false
    ) {
        super.init(
            endpointClosure: endpointClosure, requestClosure: requestClosure, stubClosure: stubClosure,
            callbackQueue: callbackQueue, session: session, plugins: plugins, trackInflights: trackInflights)
    }

    // Request to fetch and store new XApp token if the current token is missing or expired.
    func xAppTokenRequest() -> Observable<String?> {

        let appToken = userInfo.accessToken

        // If we have a valid token, just return it
        if appToken.isValidAndNotExpired {
            return Observable.just(appToken.token)
        }

        // Do not attempt to refresh a session if we don't have valid credentials
        guard let userId = userInfo.userId, let refreshToken = userInfo.accessToken.refreshToken else {
            return Observable.just(nil)
        }

        // Create actual refresh request
        let newTokenRequest = super.request(MyService.refreshSession(userId: userId, refreshToken: refreshToken))
            .filterSuccessfulStatusCodes()
            .mapJSON()
            .map { element -> (token: String?, refreshToken: String?, expiryTime: Double?) in
                guard let dictionary = element as? [String: Any] else {
                    return (token: nil, refreshToken: nil, expiryTime: nil)
                }

                return (
                    token: dictionary["auth_token"] as? String, refreshToken: dictionary["refresh_token"] as? String,
                    expiryTime: dictionary["session_time_valid"] as? Double
                )
            }
            .do(onNext: { [userInfo] element in
                userInfo.accessToken = AccessToken(
                    token: element.token, refreshToken: element.refreshToken, expirySecondsLeft: element.expiryTime)
            })
            .map { (token, refreshToken, expiry) -> String? in
                token
            }
            .catch { [userInfo, router] error -> Observable<String?> in
                guard case .statusCode(let response)? = error as? MoyaError else { throw error }

                // If we have 401 error - delete all credentials and handle logout
                if response.statusCode == 401 {
                    userInfo.invalidate()
                    router.popToLoginScreen()
                }
                throw error
            }

        return newTokenRequest
    }

    // Override request to inject XAppTokenRequest if needed
    override func request(_ token: MyService) -> Observable<Moya.Response> {
        let actualRequest = super.request(token)

        return self.xAppTokenRequest().flatMap { _ in
            actualRequest
        }
    }
}

struct AccessToken: Sendable {
    var token: String?
    var refreshToken: String?
    var expirySecondsLeft: Double?

    var isValidAndNotExpired: Bool { token != nil && (expirySecondsLeft ?? 0) > 0 }
}

final class UserInfo: Sendable {
    private let state = Lock((token: AccessToken(refreshToken: "old"), userId: "octocat" as String?))

    var accessToken: AccessToken {
        get { state.withLock { $0.token } }
        set { state.withLock { $0.token = newValue } }
    }
    var userId: String? { state.withLock { $0.userId } }

    func invalidate() { state.withLock { $0 = (AccessToken(), nil) } }
}

final class Router: Sendable {
    private let pops = Lock(0)

    var popCount: Int { pops.value }

    func popToLoginScreen() { pops.add(1) }
}

/// The part of the provider that tests use: a call through a protocol warns of no deprecation.
private protocol Refreshing: AnyObject {
    var userInfo: UserInfo { get }
    var router: Router { get }
    func request(_ token: MyService) -> Observable<Moya.Response>
}

@available(*, deprecated)
extension RefreshingProvider: Refreshing {}

private protocol Making {
    func provider(_ server: LoopbackServer) -> any Refreshing
}

private struct Maker: Making {
    @available(*, deprecated) func provider(_ server: LoopbackServer) -> any Refreshing {
        RefreshingProvider(endpointClosure: MyAPI.endpoints(at: server.url), plugins: [])
    }
}

@Suite(.timeLimit(.minutes(5))) struct SubclassingProviderGuideTests {
    private let maker: any Making = Maker()

    private func server(refresh status: Int = 200) async throws -> LoopbackServer {
        try await LoopbackServer { exchange in
            if exchange.request.path == "/session" {
                _ = try await exchange.discardBody()
                try await exchange.respond(
                    status,
                    body: #"{"auth_token":"new","refresh_token":"newer","session_time_valid":3600}"#)
            } else {
                try await exchange.respond(body: "users")
            }
        }
    }

    @Test func anExpiredTokenIsRefreshedBeforeTheCall() async throws {
        let server = try await server()
        let myServiceProvider = maker.provider(server)
        let watched = Watched(myServiceProvider.request(.users))
        #expect(try await watched.text() == "users")
        #expect(server.requests.map(\.path) == ["/session", "/users"])
        #expect(myServiceProvider.userInfo.accessToken.token == "new")
        #expect(myServiceProvider.userInfo.accessToken.refreshToken == "newer")
    }

    @Test func aValidTokenIsNotRefreshed() async throws {
        let server = try await server()
        let myServiceProvider = maker.provider(server)
        myServiceProvider.userInfo.accessToken = AccessToken(
            token: "valid", refreshToken: "old", expirySecondsLeft: 60)
        let watched = Watched(myServiceProvider.request(.users))
        #expect(try await watched.text() == "users")
        #expect(server.requests.map(\.path) == ["/users"])
    }

    @Test func aRefusedRefreshLogsOut() async throws {
        let server = try await server(refresh: 401)
        let myServiceProvider = maker.provider(server)
        let error = try await Watched(myServiceProvider.request(.users)).failure()
        #expect(error.response?.statusCode == 401)
        #expect(myServiceProvider.userInfo.userId == nil)
        #expect(myServiceProvider.router.popCount == 1)
        #expect(server.requests.map(\.path) == ["/session"])
    }

    @Test func anotherFailureOfTheRefreshDoesNotLogOut() async throws {
        let server = try await server(refresh: 500)
        let myServiceProvider = maker.provider(server)
        let error = try await Watched(myServiceProvider.request(.users)).failure()
        #expect(error.response?.statusCode == 500)
        #expect(myServiceProvider.userInfo.userId == "octocat")
        #expect(myServiceProvider.router.popCount == 0)
    }

    @Test func callsOnlyOnceSubscribed() async throws {
        let server = try await server()
        let myServiceProvider = maker.provider(server)
        _ = myServiceProvider.request(.users)
        _ = try await Watched(myServiceProvider.request(.users)).text()
        #expect(server.requests.map(\.path) == ["/session", "/users"])
    }
}
#endif
