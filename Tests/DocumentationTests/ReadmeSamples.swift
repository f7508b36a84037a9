import Foundation
// snippet: README, first call
import Moya
// end
// snippet: README, session
import MoyaSession
// end
import Testing

// The README's samples, word for word. What needs a server is compiled here and called in `ReadmeSampleTests` of MoyaTests.

// snippet: README, first call
enum GitHub: TargetType {
    case user(String)

    var baseURL: URL { URL(string: "https://api.github.com")! }
    var path: String {
        switch self {
        case .user(let name): "/users/\(name)"
        }
    }
    var method: Moya.Method { .get }
    var task: Task { .requestPlain }
    var headers: [String: String]? { nil }
    var sampleData: Data { Data(#"{"login": "octocat"}"#.utf8) }
}

struct User: Decodable, Sendable { let login: String }
// end

private func firstCall() async {
    // snippet: README, first call
    let github = MoyaProvider<GitHub>()
    do {
        let user = try await github.request(.user("octocat"), as: User.self)
        print(user.login)
    } catch {
        print(error.localizedDescription)
    }
    // end
}

@Suite struct ReadmeSamples {
    @Test func theSampleDataOfTheFirstSampleIsAUser() async throws {
        // snippet: README, stub
        let github = MoyaProvider<GitHub>(stubClosure: MoyaProvider.immediatelyStub)
        // end
        #expect(try await github.request(.user("octocat"), as: User.self).login == "octocat")
    }
}

private func errors(_ github: MoyaProvider<GitHub>) async {
    // snippet: README, errors
    do {
        let user = try await github.request(.user("nobody"), as: User.self)
        print(user.login)
    } catch {  // a MoyaError: no cast
        print(error.response?.statusCode ?? 0, error.localizedDescription)
    }
    // end
}

private func progress(_ provider: MoyaProvider<Archives>) async throws {
    // snippet: README, progress
    for try await event in provider.progress(of: .archive("swift")) {
        print(event.progress)  // 0 ... 1
    }
    // end
}

private func session(authority: URL, key: Data, identity: Data, password: String) {
    // snippet: README, session
    let session = Session(
        configuration: .af.default,
        startRequestsImmediately: false,
        interceptor: RetryPolicy(),
        serverTrustManager: ServerTrustManager(evaluators: [
            "api.example.com": PinnedCertificatesTrustEvaluator(),
            "internal.example.com": PublicKeysTrustEvaluator(keys: [key]),
        ]),
        transportConfiguration: TransportConfiguration(
            certificateAuthorities: .file(authority), clientIdentity: .pkcs12(identity, password: password)))
    let internalAPI = MoyaProvider<InternalAPI>(session: session)
    // end
    print(internalAPI)
}

private func middleware(tokens: any OAuthTokenStore, auth: MoyaProvider<Auth>, router: Router) async throws {
    // snippet: README, middleware
    let shop = MoyaProvider<Shop>(middleware: [
        .waitForConnectivity(atMost: .seconds(30)),
        .tokenRefresh(tokens: tokens) { refreshToken in
            try await auth.request(.refresh(refreshToken), as: OAuthTokens.self)
        } onLogOut: {
            await router.showLogin()
        },
        .retry(attempts: 3, backoff: .exponential(base: .milliseconds(200), jitter: .full), budget: .standard),
    ])
    let items = try await shop.request(.items, as: [Item].self, deadline: .seconds(5))
    // end
    print(items)
}

private func closures(_ github: MoyaProvider<GitHub>) {
    // snippet: README, closures
    github.request(.user("octocat")) { result in
        switch result {
        case .success(let response): print(response.statusCode)
        case .failure(let error): print(error)
        }
    }
    // end
}
