import Foundation
import Moya
import MoyaSession
import MoyaTesting
import Testing

/// The README's samples, word for word but for the server, which is one on this machine.
@Suite struct ReadmeSampleTests {
    enum GitHub: TargetType {
        case user(String)
        case zen
        case archive(String, URL)

        var baseURL: URL { LocalAPI.url }
        var path: String {
            switch self {
            case .user(let name): "/users/\(name)"
            case .zen: "/zen"
            case .archive: "/archive"
            }
        }
        var method: Moya.Method { .get }
        var task: Moya.RequestTask {
            if case .archive(_, let file) = self { .downloadDestination { _, _ in (file, []) } } else { .requestPlain }
        }
        var headers: [String: String]? { nil }
        var sampleData: Data { Data("{\"login\": \"sample\"}".utf8) }
    }

    struct User: Decodable, Sendable { let login: String }

    /// The server that the targets above call; theirs is a constant, so this is one too.
    private enum LocalAPI {
        @TaskLocal static var url = URL(fileURLWithPath: "/")
    }

    private func withAPI(_ body: () async throws -> Void) async throws {
        let server = try await LoopbackServer { exchange in
            switch exchange.request.path {
            case "/users/octocat": try await exchange.respond(body: "{\"login\": \"octocat\"}")
            case "/zen": try await exchange.respond(body: "Keep it logically awesome.")
            case "/archive": try await exchange.respond(body: "bytes")
            default: try await exchange.respond(404)
            }
        }
        try await LocalAPI.$url.withValue(server.url) { try await body() }
    }

    @Test func theFirstSampleDecodesAUser() async throws {
        try await withAPI {
            let github = MoyaProvider<GitHub>()
            let user = try await github.request(.user("octocat"), as: User.self)
            #expect(user.login == "octocat")
        }
    }

    @Test func anErrorIsAMoyaErrorWithoutACast() async throws {
        try await withAPI {
            #expect(await statusOfFailure(MoyaProvider<GitHub>()) == 404)
        }
    }

    private func statusOfFailure(_ github: MoyaProvider<GitHub>) async -> Int {
        do {
            _ = try await github.request(.user("nobody")).filterSuccessfulStatusCodes().mapString()
            return 0
        } catch {
            return error.response?.statusCode ?? 0
        }
    }

    @Test func aStringIsMapped() async throws {
        try await withAPI {
            let github = MoyaProvider<GitHub>()
            let zen = try await github.request(.zen).mapString()
            #expect(zen == "Keep it logically awesome.")
        }
    }

    @Test func progressIsASequence() async throws {
        let directory = try TestDirectory()
        try await withAPI {
            let provider = MoyaProvider<GitHub>()
            let target = GitHub.archive("swift", directory.url.appendingPathComponent("archive"))
            var last = 0.0
            for try await event in provider.progress(of: target) { last = event.progress }
            #expect(last == 1)
        }
        #expect(directory.names == ["archive"])
    }

    @Test func aStubNeedsNoNetwork() async throws {
        let stubbed = MoyaProvider<GitHub>(stubClosure: MoyaProvider.immediatelyStub)
        #expect(try await stubbed.request(.user("anybody"), as: User.self).login == "sample")
    }

    @Test func aSessionPinsAndShowsAClientCertificate() {
        let authority = URL(fileURLWithPath: "/etc/ssl/certs/private.pem")
        let (key, identity, password) = (Data(), Data(), "")
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
        #expect(MoyaProvider<GitHub>(session: session).session === session)
    }

    @Test func callsAreRefreshedAndRetried() async throws {
        try await withAPI {
            let tokens = InMemoryTokenStore(OAuthTokens(accessToken: "a", refreshToken: "r", expiry: .distantFuture))
            let auth = MoyaProvider<GitHub>()
            let github = MoyaProvider<GitHub>(middleware: [
                WaitForConnectivity(online: AlwaysOnline(), waitingAtMost: .seconds(30)),
                SessionRefresh(tokens: tokens) { refreshToken in
                    try await auth.request(.user(refreshToken), as: OAuthTokens.self)
                } onLogOut: {
                },
                .retry(attempts: 3, backoff: .exponential(base: .milliseconds(200), jitter: .full), budget: .standard),
            ])
            let user = try await github.request(.user("octocat"), as: User.self, deadline: .seconds(600))
            #expect(user.login == "octocat")
        }
    }

    @Test func aSessionCanBeUsedByItself() async throws {
        try await withAPI {
            let status = await withCheckedContinuation { continuation in
                Session.default.request("\(LocalAPI.url)/zen").response(queue: .global()) {
                    continuation.resume(returning: $0.response?.statusCode)
                }
            }
            #expect(status == 200)
        }
    }
}

/// Stands for the kernel's word, which a test does not depend on: online, and nothing else to say.
private struct AlwaysOnline: AsyncSequence, Sendable {
    struct AsyncIterator: AsyncIteratorProtocol {
        private var isTold = false

        mutating func next() async -> Bool? {
            defer { isTold = true }
            return isTold ? nil : true
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
}
