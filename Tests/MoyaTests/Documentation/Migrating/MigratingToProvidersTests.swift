// Moya's users write `Task`: these samples are part of a build with its alias.
#if TaskAlias
import Foundation
import Moya
// snippet: migrating-from-alamofire
import MoyaSession
// end
import MoyaTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The samples of MIGRATING.md that use a provider in its current form.
@Suite struct MigratingToProvidersTests {
    // snippet: migrating-target
    enum Shop: TargetType {
        case items(page: Int)
        case refresh(String)

        var baseURL: URL { URL(string: "https://shop.example.com")! }
        var path: String {
            switch self {
            case .items: "/items"
            case .refresh: "/session"
            }
        }
        var method: Moya.Method {
            switch self {
            case .items: .get
            case .refresh: .post
            }
        }
        var task: Task {
            switch self {
            case .items(let page): .requestParameters(parameters: ["page": page], encoding: URLEncoding.queryString)
            case .refresh(let token): .requestJSONEncodable(["refresh_token": token])
            }
        }
        var headers: [String: String]? { ["Accept": "application/json"] }
        var validationType: ValidationType { .successCodes }
        var sampleData: Data { Data(#"[{"name": "Kettle"}]"#.utf8) }
    }
    // end

    struct Item: Decodable, Sendable { let name: String }

    // snippet: migrating-async-client
    struct ShopClient: Sendable {
        var provider = MoyaProvider<Shop>(plugins: [NetworkLoggerPlugin()])

        func items(page: Int) async throws(MoyaError) -> [Item] {
            try await provider.request(.items(page: page), as: [Item].self)
        }
    }
    // end

    private actor Router {
        private(set) var isAtLogin = false

        func showLogin() { isAtLogin = true }
    }

    @Test func aClientOfMoya15IsOneLineWithAwait() async throws {
        let client = ShopClient(provider: MoyaProvider<Shop>(stubClosure: MoyaProvider.immediatelyStub))
        #expect(try await client.items(page: 1).map(\.name) == ["Kettle"])
    }

    @Test func aManagerIsASession() {
        // snippet: migrating-session
        let configuration = URLSessionConfiguration.default
        configuration.headers = .default
        let session = Session(configuration: configuration, startRequestsImmediately: false)

        let provider = MoyaProvider<Shop>(session: session, plugins: [NetworkLoggerPlugin()])
        // end
        #expect(provider.session === session)
        #expect(session.sessionConfiguration.headers["Accept-Encoding"] != nil)
    }

    @Test func namesOfMoya7AreLowercaseNow() async throws {
        let show: @Sendable (NetworkActivityChangeType) -> Void = { _ in }
        // snippet: migrating-small-letters
        let provider = MoyaProvider<Shop>(
            endpointClosure: MoyaProvider.defaultEndpointMapping,
            stubClosure: MoyaProvider.immediatelyStub,
            session: .default,
            plugins: [NetworkActivityPlugin { change, _ in show(change) }]
        )
        // end
        #expect(try await provider.request(.items(page: 1), as: [Item].self).map(\.name) == ["Kettle"])
        #expect(provider.session === Session.default)
    }

    @Test func aSessionThatRenewsItselfNeedsNoSubclass() async throws {
        let (router, tokens) = (Router(), InMemoryTokenStore(OAuthTokens(refreshToken: "first")))
        let auth = MoyaProvider<Shop>(
            endpointClosure: { target in
                Endpoint(
                    url: URL(target: target).absoluteString,
                    sampleResponseClosure: { .networkResponse(200, Data(#"{"access_token": "new"}"#.utf8)) },
                    method: target.method, task: target.task, httpHeaderFields: nil)
            },
            stubClosure: MoyaProvider.immediatelyStub)
        // snippet: migrating-refresh
        let refresh = SessionRefresh(tokens: tokens) { refreshToken in
            try await auth.request(.refresh(refreshToken), as: OAuthTokens.self)
        } onLogOut: {
            await router.showLogin()
        }
        let provider = MoyaProvider<Shop>(stubClosure: MoyaProvider.immediatelyStub, middleware: [refresh])
        // end
        let response = try await provider.request(.items(page: 1))
        #expect(response.request?.value(forHTTPHeaderField: "Authorization") == "Bearer new")
        #expect(await router.isAtLogin == false)
    }

    @Test func aSessionOfAlamofiresUsersCarriesTargets() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.respond(body: #"[{"name": "\#(exchange.request.path)"}]"#)
        }
        // snippet: migrating-from-alamofire
        let session = Session(interceptor: RetryPolicy())
        let provider = MoyaProvider<Shop>(session: session)
        // end
        #expect(provider.session === session)
        let atHome = MoyaProvider<Shop>(endpointClosure: Shop.endpoints(at: server.url), session: session)
        #expect(try await items(atHome).map(\.name) == ["/items"])
    }

    private func items(_ provider: MoyaProvider<Shop>) async throws -> [Item] {
        // snippet: migrating-from-alamofire
        let items = try await provider.request(.items(page: 1), as: [Item].self)
        // end
        return items
    }
}

extension MigratingToProvidersTests.Shop {
    /// The endpoints of the targets, on a server of this machine.
    fileprivate static func endpoints(at server: URL) -> MoyaProvider<Self>.EndpointClosure {
        { target in
            Endpoint(
                url: server.appending(path: target.path).absoluteString,
                sampleResponseClosure: { .networkResponse(200, target.sampleData) },
                method: target.method, task: target.task, httpHeaderFields: target.headers)
        }
    }
}
#endif
