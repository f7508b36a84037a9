#if os(Linux)
import CMoyaCurl
import Foundation
import MoyaTesting
import MoyaTransport
import Testing
import TransportConformance

@testable import MoyaCurl

@Suite(.timeLimit(.minutes(3))) struct CurlProxyTests {
    typealias Proxy = TransportConfiguration.Proxy

    private func transport(_ proxy: Proxy) -> CurlTransport {
        .separate(TransportConfiguration(proxy: .custom(proxy)))
    }

    private func proxy(
        _ server: LoopbackServer, _ kind: Proxy.Kind = .http, credentials: Proxy.Credentials? = nil,
        exceptions: [String] = []
    ) -> Proxy {
        Proxy(kind, host: "127.0.0.1", port: server.port, credentials: credentials, exceptions: exceptions)
    }

    private func get(_ url: String) -> HTTPRequest { HTTPRequest(method: "GET", url: url) }

    // MARK: HTTP

    @Test func proxyGetsTheWholeURL() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "from the proxy") }
        let answer = try await transport(proxy(server)).run(get("http://origin.invalid/path?a=b"))
        #expect(answer.text == "from the proxy")
        #expect(server.requests.first?.target == "http://origin.invalid/path?a=b")
        #expect(server.requests.first?.fields["Proxy-Authorization"] == nil)
    }

    @Test func proxyGetsItsCredentials() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "from the proxy") }
        let credentials = Proxy.Credentials(user: "Aladdin", password: "open:sesame")
        #expect(
            try await transport(proxy(server, credentials: credentials)).run(get("http://origin.invalid/")).head?.status
                == 200)
        #expect(
            server.requests.first?.fields["Proxy-Authorization"]
                == "Basic " + Data("Aladdin:open:sesame".utf8).base64EncodedString())
    }

    @Test(arguments: [("us%65r", "p%41ss"), ("user", "100%25 @:/#?é"), ("a b", ""), ("", "p")])
    func credentialsAreSentAsGiven(_ user: String, _ password: String) async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        let credentials = Proxy.Credentials(user: user, password: password)
        _ = try await transport(proxy(server, credentials: credentials)).run(get("http://origin.invalid/"))
        #expect(
            server.requests.first?.fields["Proxy-Authorization"]
                == "Basic " + Data("\(user):\(password)".utf8).base64EncodedString())
    }

    @Test(arguments: ["localhost:8080", "a%2fb", "x;y", "a b", "1::2::3", "::1 ", "fe80::1%a#b"])
    func aHostThatIsNoneIsNamed(_ host: String) async throws {
        let proxy = TransportConfiguration.ProxySetting.custom(Proxy(.http, host: host, port: 1))
        let failure = try await CurlTransport.separate(.init(proxy: proxy)).run(get("http://origin.invalid/")).failure
        #expect(failure?.kind == .unsupported)
        #expect(failure?.message.contains(host) == true, "\(failure?.message ?? "")")
    }

    @Test(arguments: [
        ("http://user:pass%0A@h:1", true), ("http://u%00:p@h", true), ("http://u:p\t@h", true), ("u:p%7F@h:1", true),
        ("http://user:p%41ss@h:1", false), ("http://h:1/%0A", false), ("http://u:100%@h", false), ("", false),
        ("http://u:%+5@h", false),
    ]) func controlCharactersInTheEnvironmentsCredentialsAreFound(_ url: String, _ isUnfit: Bool) {
        #expect(ProxyEnvironment.hasControlCharacters(url) == isUnfit)
    }

    @Test func aRefusalByTheProxyIsTheResponse() async throws {
        let server = try await LoopbackServer {
            try await $0.respond(407, ["Proxy-Authenticate": "Basic realm=\"p\""], body: "who are you?")
        }
        let answer = try await transport(proxy(server)).run(get("http://origin.invalid/"))
        #expect(answer.head?.status == 407)
        #expect(answer.text == "who are you?")
        #expect(answer.failure == nil)
    }

    @Test func aTunnelThatTheProxyRefusesIsAnErrorThatNamesProxyAndStatus() async throws {
        let server = try await LoopbackServer {
            try await $0.respond(407, ["Proxy-Authenticate": "Basic realm=\"p\""], body: "who are you?")
        }
        let answer = try await transport(proxy(server)).run(get("https://origin.invalid/"))
        #expect(answer.heads.isEmpty)
        let failure = try #require(answer.failure)
        #expect(failure.kind == .connect)
        #expect(failure.message.contains("http://127.0.0.1:\(server.port)"))
        #expect(failure.message.contains("407"))
    }

    /// Nothing of the request was sent.
    @Test(arguments: ["", "HTTP/1.1 100 Continue\r\n\r\n", "garbage"])
    func aTunnelThatBreaksOffIsAConnectionThatCouldNotBeMade(answer: String) async throws {
        let server = try await LoopbackServer { exchange in
            if !answer.isEmpty { try await exchange.send(raw: answer) }
            exchange.close()
        }
        let recording = try await transport(proxy(server)).run(get("https://somewhere.test/"))
        #expect(recording.kind == .connect, "\(recording.failure as Any)")
        #expect(recording.failure?.message.contains("The proxy http://127.0.0.1:\(server.port)") == true)
    }

    @Test func tunnelRequestHasTheProxysCredentialsOnly() async throws {
        let server = try await LoopbackServer { try await $0.respond(403) }
        let credentials = Proxy.Credentials(user: "user", password: "password")
        var request = get("https://origin.invalid:8443/secret")
        request.fields = [
            HTTPField(name: "Authorization", value: "Bearer secret"), HTTPField(name: "X-Own", value: "1"),
        ]
        _ = try await transport(proxy(server, credentials: credentials)).run(request)
        let connect = try #require(server.requests.first)
        #expect(connect.method == "CONNECT")
        #expect(connect.target == "origin.invalid:8443")
        #expect(connect.fields["Proxy-Authorization"] != nil)
        #expect(connect.fields["Authorization"] == nil)
        #expect(connect.fields["X-Own"] == nil)
    }

    @Test(
        arguments: [Proxy.Kind.http, .https, .socks5],
        [("http", "127.0.0.1"), ("https", "127.0.0.1"), ("https", "::1")])
    func aProxyThatIsNotThereIsNamed(kind: Proxy.Kind, call: (scheme: String, host: String)) async throws {
        let closed = try ClosedPort(call.host == "::1" ? .ipv6 : .ipv4)
        let gone = Proxy(kind, host: call.host, port: closed.port)
        let failure = try #require(try await transport(gone).run(get("\(call.scheme)://origin.invalid/")).failure)
        #expect(failure.kind == .connect)
        #expect(failure.message.contains("The proxy \(gone): "), "\(failure.message)")
        withExtendedLifetime(closed) {}
    }

    @Test func aProxyWithoutAnAddressIsNamed() async throws {
        let unknown = Proxy(.http, host: "proxy.invalid", port: 3128)
        let failure = try #require(try await transport(unknown).run(get("http://127.0.0.1:1/")).failure)
        #expect(failure.kind == .dns)
        #expect(failure.message.contains("The proxy \(unknown): "), "\(failure.message)")
    }

    @Test func aServerThatIsContactedDirectlyIsNotTakenForTheProxy() async throws {
        let closed = try ClosedPort()
        let unused = Proxy(.http, host: "127.0.0.1", port: 1, exceptions: ["127.0.0.1"])
        let failure = try #require(
            try await transport(unused).run(get("http://127.0.0.1:\(closed.port)/")).failure)
        #expect(failure.kind == .connect)
        #expect(!failure.message.contains("proxy"), "\(failure.message)")
        withExtendedLifetime(closed) {}
    }

    // MARK: Exceptions

    /// The networks, if the loaded libcurl accepts them as exceptions.
    private static func accepted(_ networks: [String]) -> [String] {
        CurlVersion.loaded.exceptsNetworks ? networks : []
    }

    @Test(arguments: ["127.0.0.1", "*"] + Self.accepted(["127.0.0.0/8"]))
    func exceptedHostIsContactedDirectly(exception: String) async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "from the server") }
        let broken = Proxy(
            .http, host: "proxy.invalid", port: 1, credentials: .init(user: "user", password: "password"),
            exceptions: ["other.test", exception])
        #expect(try await transport(broken).run(server.request()).text == "from the server")
        #expect(server.requests.first?.target == "/")
        #expect(server.requests.first?.fields["Proxy-Authorization"] == nil)
    }

    @Test(arguments: ["localhost", ".localhost", "*.localhost"])
    func hostBelowAnExceptedNameIsContactedDirectly(exception: String) async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "from the server") }
        let broken = Proxy(.http, host: "proxy.invalid", port: 1, exceptions: [exception])
        let answer = try await transport(broken).run(get("http://below.localhost:\(server.port)/"))
        #expect(answer.text == "from the server")
    }

    @Test(arguments: [
        ("bücher.example", "xn--bcher-kva.example"), ("Example.COM.", "example.com"), ("127.1", "127.0.0.1"),
        ("0:0:0:0:0:0:0:1", "::1"), ("[::1]", "::1"), (".example.com", "example.com"),
    ])
    func anExceptionMayHaveAnySpelling(exception: String, name: String) throws {
        #expect(try CurlProxy.list([exception]) == name)
    }

    @Test(arguments: [
        "example.com:8080", "https://example.com", "a..b", ".", "*x", "example.com/8", "10.0.0.0/33", "10.0.0.0/x",
        "10.0.0.0/", "10.0.0.0/+8", "fd00::/8",
    ])
    func anExceptionThatCanMatchNoHostIsRefused(exception: String) {
        #expect(throws: TransportFailure.self) { try CurlProxy.list([exception]) }
    }

    /// The failure of a transport with a proxy and another libcurl.
    private func failure(
        of proxy: Proxy, with version: CurlVersion = .oldest, without feature: Int32 = 0
    ) -> TransportFailure? {
        let library = CurlLibrary(
            version: version, features: CurlLibrary.loaded.features & ~feature, hasDNSServers: false)
        return CurlSettings(TransportConfiguration(proxy: .custom(proxy)), library: library).failure
    }

    @Test func aNetworkIsRefusedByNameBefore7_86() {
        let proxy = Proxy(.http, host: "proxy.test", port: 1, exceptions: ["10.0.0.0/8"])
        let message = failure(of: proxy, with: CurlVersion(7, 85))?.message
        #expect(message?.hasPrefix("proxy: exception 10.0.0.0/8, a network, cannot be honoured") == true)
        #expect(failure(of: proxy, with: CurlVersion(7, 86)) == nil)
    }

    @Test func aProxyOverTLSIsRefusedWhereLibcurlLacksIt() {
        let proxy = Proxy(.https, host: "proxy.test", port: 1)
        #expect(failure(of: proxy, without: CURL_VERSION_HTTPS_PROXY)?.kind == .unsupported)
    }

    @Test func aNameThatOnlyEndsLikeAnExceptionGoesThroughTheProxy() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "from the proxy") }
        let transport = transport(proxy(server, exceptions: ["host.invalid"] + Self.accepted(["10.0.0.0/8"])))
        #expect(try await transport.run(get("http://myhost.invalid/")).text == "from the proxy")
        #expect(try await transport.run(get("http://11.0.0.1/")).text == "from the proxy")
    }

    @Test func theEnvironmentExceptsNothingFromAProxyOfTheSessions() async throws {
        await #expect(processExitsWith: .success) {
            setenv("no_proxy", "*", 1)
            let server = try await LoopbackServer { try await $0.respond(body: "from the proxy") }
            let transport = CurlTransport.separate(
                TransportConfiguration(proxy: .custom(.init(.http, host: "127.0.0.1", port: server.port))))
            let answer = try await transport.run(HTTPRequest(method: "GET", url: "http://origin.invalid/"))
            #expect(answer.text == "from the proxy")
        }
    }

    @Test func noProxyOverridesTheEnvironment() async throws {
        await #expect(processExitsWith: .success) {
            setenv("http_proxy", "http://proxy.invalid:1", 1)
            let server = try await LoopbackServer { try await $0.respond(body: "from the server") }
            let transport = CurlTransport.separate(TransportConfiguration(proxy: .none))
            #expect(try await transport.run(server.request()).text == "from the server")
        }
    }

    // MARK: SOCKS 5

    /// A SOCKS 5 proxy that accepts only this user, and answers the request itself.
    private func socks(_ user: String? = nil, _ password: String = "") async throws -> LoopbackServer {
        try await LoopbackServer(
            onConnection: { connection in
                let offered = try await connection.receive()
                if let user {
                    guard offered.dropFirst(2).contains(2) else { return try await connection.send([5, 255]) }
                    try await connection.send([5, 2])
                    let expected =
                        [1, UInt8(user.utf8.count)] + user.utf8 + [UInt8(password.utf8.count)] + password.utf8
                    let isRight = try await connection.receive() == Data(expected)
                    try await connection.send([1, isRight ? 0 : 1])
                    guard isRight else { return }
                } else {
                    try await connection.send([5, 0])
                }
                let wanted = try await connection.receive()
                // A name, which the proxy is to resolve (RFC 1928 section 5).
                guard wanted.dropFirst(3).first == 3 else {
                    return try await connection.send([5, 8, 0, 1, 0, 0, 0, 0, 0, 0])
                }
                try await connection.send([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
            },
            handler: { try await $0.respond(body: "through the proxy") })
    }

    @Test func aNameIsResolvedByTheSOCKSProxy() async throws {
        let server = try await socks()
        let answer = try await transport(proxy(server, .socks5)).run(get("http://origin.invalid/path"))
        #expect(answer.text == "through the proxy")
        #expect(server.requests.first?.target == "/path")
    }

    @Test func onlyTheSOCKSProxyGetsItsCredentials() async throws {
        let server = try await socks("user", "pass:word")
        let right = proxy(server, .socks5, credentials: .init(user: "user", password: "pass:word"))
        #expect(try await transport(right).run(get("http://origin.invalid/")).text == "through the proxy")
        let head = String(decoding: server.requests.first?.head ?? Data(), as: UTF8.self)
        #expect(!head.contains("Authorization"))
    }

    @Test(arguments: [nil, Proxy.Credentials(user: "user", password: "wrong")])
    func wrongCredentialsForASOCKSProxyAreAnErrorThatNamesIt(credentials: Proxy.Credentials?) async throws {
        let server = try await socks("user", "password")
        let wrong = proxy(server, .socks5, credentials: credentials)
        let failure = try #require(try await transport(wrong).run(get("http://origin.invalid/")).failure)
        #expect(failure.kind == .connect)
        #expect(failure.message.contains("socks5://127.0.0.1:\(server.port)"))
        #expect(server.requestCount == 0)
    }

    // MARK: Bad settings

    @Test(arguments: [
        Proxy(.http, host: "", port: 80), Proxy(.http, host: "a b", port: 80), Proxy(.http, host: "u@h", port: 80),
        Proxy(.http, host: "h/x", port: 80), Proxy(.http, host: "h\r\nX: y", port: 80),
        Proxy(.http, host: "h", port: 0), Proxy(.http, host: "h", port: 65_536), Proxy(.socks5, host: "h", port: -1),
        Proxy(.http, host: "h", port: 1, credentials: .init(user: "a:b", password: "p")),
        Proxy(.http, host: "h", port: 1, credentials: .init(user: "a\r\n", password: "p")),
        Proxy(.socks5, host: "h", port: 1, credentials: .init(user: "", password: "p")),
        Proxy(.socks5, host: "h", port: 1, credentials: .init(user: "u", password: String(repeating: "p", count: 256))),
        Proxy(.http, host: "h", port: 1, exceptions: [""]), Proxy(.http, host: "h", port: 1, exceptions: ["a,b"]),
        Proxy(.http, host: "h", port: 1, exceptions: ["a*b"]), Proxy(.http, host: "h", port: 1, exceptions: ["a b"]),
    ])
    func invalidProxyFailsEveryExchangeAndNamesTheSetting(proxy: Proxy) async throws {
        let transport = transport(proxy)
        let failure = try #require(transport.configurationFailure)
        #expect(failure.kind == .unsupported)
        #expect(failure.message.hasPrefix("proxy: "))
        #expect(try await transport.run(get("http://127.0.0.1:1/")).failure == failure)
    }

    @Test func refusesCredentialsInTheHostWithoutQuotingThem() throws {
        let failure = try #require(transport(Proxy(.http, host: "alice:s3cret@h", port: 1)).configurationFailure)
        #expect(failure.message.contains("credentials"))
        #expect(!failure.message.contains("s3cret"))
    }

    @Test func doesNotQuoteThePasswordOfAnException() throws {
        let proxy = Proxy(.http, host: "h", port: 1, exceptions: ["alice:s3cret@h x"])
        let failure = try #require(transport(proxy).configurationFailure)
        #expect(failure.message.contains("\"h x\""))
        #expect(!failure.message.contains("s3cret"))
    }

    @Test func thePasswordIsNotPrinted() {
        let proxy = Proxy(.http, host: "::1", port: 3128, credentials: .init(user: "user", password: "secret"))
        #expect("\(proxy)" == "http://[::1]:3128")
        var dumped = ""
        dump(proxy, to: &dumped)
        #expect(!dumped.contains("secret"))
        #expect(!String(reflecting: proxy).contains("secret"))
    }
}
#endif
