import Foundation
import Moya
import MoyaSession
import Testing

/// Servers reached through tinyproxy and microsocks.
@Suite(.needsServers)
struct ProxyTests {
    typealias Proxy = TransportConfiguration.Proxy

    let servers: Servers

    init() throws { servers = try #require(Servers.running) }

    private static let known = Proxy.Credentials(user: "user", password: "pass-word")

    /// Every proxy with the credentials, or without.
    private func proxy(_ name: String, credentials: Proxy.Credentials? = known, exceptions: [String] = []) -> Proxy {
        switch name {
        case "http": Proxy(.http, host: "127.0.0.1", port: servers.proxyPort, exceptions: exceptions)
        case "private http":
            Proxy(
                .http, host: "localhost", port: servers.privateProxyPort, credentials: credentials,
                exceptions: exceptions)
        case "https":
            Proxy(
                .https, host: "good-ec.localhost", port: servers.tlsProxyPort, credentials: credentials,
                exceptions: exceptions)
        case "socks5": Proxy(.socks5, host: "127.0.0.1", port: servers.socksPort, exceptions: exceptions)
        default:
            Proxy(
                .socks5, host: "localhost", port: servers.privateSOCKSPort, credentials: credentials,
                exceptions: exceptions)
        }
    }

    private static let everyProxy = ["http", "private http", "https", "socks5", "private socks5"]

    private func session(_ proxy: Proxy, evaluator: (any ServerTrustEvaluating)? = nil) throws -> Session {
        let authorities = [
            try Data(contentsOf: servers.certificateAuthority),
            try Data(contentsOf: servers.trustCertificates.appendingPathComponent("root.pem")),
        ]
        return Session(
            startRequestsImmediately: false,
            serverTrustManager: evaluator.map { ServerTrustManager(evaluators: ["localhost": $0]) },
            transportConfiguration: TransportConfiguration(
                certificateAuthorities: .certificates(authorities), proxy: .custom(proxy)))
    }

    private func provider(
        _ proxy: Proxy, evaluator: (any ServerTrustEvaluating)? = nil
    ) throws -> MoyaProvider<Call> {
        MoyaProvider<Call>(session: try session(proxy, evaluator: evaluator))
    }

    private func failure(_ proxy: Proxy, _ call: Call) async throws -> TransportFailure {
        let provider = try provider(proxy)
        let error = await #expect(throws: MoyaError.self) { try await provider.request(call) }
        guard case .underlying(let cause, _)? = error else {
            throw TransportFailure(.other, message: "\(error as Any)")
        }
        return try #require((cause as? SessionError)?.transportFailure)
    }

    // MARK: Through

    @Test(arguments: everyProxy)
    func aServerWithoutTLSIsReached(name: String) async throws {
        let provider = try provider(proxy(name))
        let echo = try await provider.request(.get(servers.httpbin, "/anything"), as: Echo.self)
        #expect(echo.method == "GET")
    }

    @Test(arguments: everyProxy)
    func aServerWithTLSIsReached(name: String) async throws {
        let provider = try provider(proxy(name))
        #expect(try await provider.request(.get(servers.nginxTLS, "/static/small.json")).statusCode == 200)
    }

    @Test(arguments: everyProxy)
    func policyJudgesOnlyTheServer(name: String) async throws {
        let pin = try Data(
            contentsOf: servers.certificateAuthority.deletingLastPathComponent().appendingPathComponent("server.pem"))
        let provider = try provider(proxy(name), evaluator: .pinnedCertificates(certificates: [pin]))
        #expect(try await provider.request(.get(servers.nginxTLS, "/static/small.json")).statusCode == 200)
    }

    @Test(arguments: everyProxy)
    func aServerThatThePolicyRefusesSeesNoRequest(name: String) async throws {
        let pin = try Data(contentsOf: servers.trustCertificates.appendingPathComponent("servers/good-ec.pem"))
        let mark = uniqueMark()
        let provider = try provider(proxy(name), evaluator: .pinnedCertificates(certificates: [pin]))
        let call = Call.get(servers.nginxTLS, "/static/small.json", query: ["m": mark])
        await #expect(throws: MoyaError.self) { try await provider.request(call) }
        #expect(try await servers.accessLog.entries(marked: mark, count: 0).isEmpty)
    }

    // MARK: Credentials

    @Test(arguments: ["private http", "https", "private socks5"])
    func theServerDoesNotLearnTheProxysCredentials(name: String) async throws {
        let provider = try provider(proxy(name))
        let echo = try await provider.request(.get(servers.httpbin, "/anything"), as: Echo.self)
        #expect(!echo.headers.keys.contains { $0.lowercased().hasSuffix("authorization") })
    }

    @Test(arguments: [nil, Proxy.Credentials(user: "user", password: "wrong")])
    func theResponseToWrongCredentialsIsTheProxys(credentials: Proxy.Credentials?) async throws {
        let provider = try provider(proxy("private http", credentials: credentials))
        let response = try await provider.request(.get(servers.httpbin, "/anything"))
        // tinyproxy 1.11.2 and older refuse wrong credentials with 401.
        #expect(credentials == nil ? response.statusCode == 407 : [401, 407].contains(response.statusCode))
    }

    @Test(arguments: ["private http", "https"], [nil, Proxy.Credentials(user: "user", password: "wrong")])
    func aTunnelForWrongCredentialsIsAnErrorThatNamesTheProxy(
        name: String, credentials: Proxy.Credentials?
    ) async throws {
        let proxy = proxy(name, credentials: credentials)
        let failure = try await failure(proxy, .get(servers.nginxTLS, "/static/small.json"))
        #expect(failure.kind == .connect)
        #expect(failure.message.contains("\(proxy)"))
        #expect(failure.message.contains("407") || (credentials != nil && failure.message.contains("401")))
    }

    @Test(arguments: [nil, Proxy.Credentials(user: "user", password: "wrong")])
    func wrongCredentialsForSOCKSAreAnErrorThatNamesTheProxy(credentials: Proxy.Credentials?) async throws {
        let proxy = proxy("private socks5", credentials: credentials)
        let failure = try await failure(proxy, .get(servers.httpbin, "/anything"))
        #expect(failure.kind == .connect)
        #expect(failure.message.contains("\(proxy)"))
    }

    // MARK: A proxy that is not trusted

    @Test func aProxyOfAnUnknownAuthorityIsRefusedAndNamed() async throws {
        let proxy = proxy("https")
        let session = Session(
            startRequestsImmediately: false,
            transportConfiguration: TransportConfiguration(
                certificateAuthorities: .file(servers.certificateAuthority), proxy: .custom(proxy)))
        let error = await #expect(throws: MoyaError.self) {
            try await MoyaProvider<Call>(session: session).request(.get(servers.nginxTLS, "/static/small.json"))
        }
        guard case .underlying(let cause, _)? = error else {
            throw TransportFailure(.other, message: "\(error as Any)")
        }
        let failure = try #require((cause as? SessionError)?.transportFailure)
        #expect(failure.kind == .tls(.untrusted))
        #expect(failure.trustRefusal?.reason == .unknownIssuer)
        #expect(failure.message.contains("\(proxy)"))
    }

    @Test func aProxyOfAnotherNameIsRefusedUnderEveryPolicy() async throws {
        let proxy = Proxy(.https, host: "127.0.0.1", port: servers.tlsProxyPort, credentials: Self.known)
        let session = try session(proxy, evaluator: .disabled)
        await #expect(throws: MoyaError.self) {
            try await MoyaProvider<Call>(session: session).request(.get(servers.nginxTLS, "/static/small.json"))
        }
    }

    // MARK: Around

    @Test(arguments: ["localhost", "127.0.0.1", "*"])
    func anExceptedServerIsReachedWithoutTheProxy(exception: String) async throws {
        let gone = Proxy(.http, host: "proxy.invalid", port: 1, exceptions: ["elsewhere.test", exception])
        let server = exception == "localhost" ? servers.nginxTLS : servers.nginx
        let provider = try provider(gone)
        #expect(try await provider.request(.get(server, "/static/small.json")).statusCode == 200)
    }
}
