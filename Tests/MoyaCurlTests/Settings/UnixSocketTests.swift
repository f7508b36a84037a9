#if os(Linux)
import Foundation
import MoyaTesting
import MoyaTransport
import Testing
import TransportConformance

@testable import MoyaCurl

@Suite(.timeLimit(.minutes(3))) struct UnixSocketTests {
    private let folder: SocketFolder

    init() throws { folder = try SocketFolder() }

    private func server(_ name: String = "s") async throws -> LoopbackServer {
        try await LoopbackServer(.init(unixSocketPath: folder[name])) { exchange in
            try await exchange.respond(body: "\(name) \(exchange.request.path)")
        }
    }

    private func transport(
        _ origin: String = "http://sample.test", proxy: TransportConfiguration.ProxySetting = .none
    ) -> CurlTransport {
        .separate(TransportConfiguration(proxy: proxy, unixSockets: [.init(path: folder["s"], origin: origin)]))
    }

    private func get(_ url: String) -> HTTPRequest { HTTPRequest(method: "GET", url: url, collectsMetrics: true) }

    @Test func reachesAnOriginThroughItsSocket() async throws {
        let server = try await server()
        let answer = try await transport().run(get("http://sample.test/a?b"))
        #expect(answer.text == "s /a")
        #expect(server.requests.first?.fields["Host"] == "sample.test")
    }

    @Test(arguments: ["http://SAMPLE.test:80", "http://sample.test./"])
    func comparesOriginsByTheirCanonicalForm(_ origin: String) async throws {
        let server = try await server()
        let answer = try await transport(origin).run(get("http://Sample.Test/"))
        #expect(answer.head?.status == 200)
        #expect(server.requests.count == 1)
    }

    @Test func reachesEveryOtherOriginOverTheNetwork() async throws {
        let server = try await server()
        let network = try await LoopbackServer { try await $0.respond(body: "network") }
        let transport = transport()
        for _ in 0..<2 {
            #expect(try await transport.run(get("http://sample.test/")).text == "s /")
            #expect(try await transport.run(network.request()).text == "network")
        }
        #expect(server.requests.count == 2)
    }

    @Test func connectsToTheHostItselfOnAnotherPort() async throws {
        let server = try await server()
        let network = try await LoopbackServer { try await $0.respond(body: "network") }
        let transport = transport("http://127.0.0.1")
        _ = try await transport.run(get("http://127.0.0.1/"))
        #expect(try await transport.run(network.request()).text == "network")
        #expect(server.requests.count == 1)
    }

    @Test func reachesEachOriginThroughItsOwnSocket() async throws {
        let (one, other) = (try await server("one"), try await server("other"))
        let transport = CurlTransport.separate(
            TransportConfiguration(
                proxy: .none,
                unixSockets: [
                    .init(path: folder["one"], origin: "http://one.test"),
                    .init(path: folder["other"], origin: "http://other.test"),
                ]))
        for _ in 0..<2 {
            #expect(try await transport.run(get("http://one.test/")).text == "one /")
            #expect(try await transport.run(get("http://other.test/")).text == "other /")
        }
        withExtendedLifetime((one, other)) {}
    }

    @Test func bypassesAProxy() async throws {
        let server = try await server()
        let proxy = try await LoopbackServer { try await $0.respond(body: "proxy") }
        let transport = transport(proxy: .custom(.init(.http, host: "127.0.0.1", port: proxy.port)))
        #expect(try await transport.run(get("http://sample.test/a")).text == "s /a")
        #expect(server.requests.first?.target == "/a")
        #expect(try await transport.run(get("http://else.test/")).text == "proxy")
    }

    @Test func reportsThePathAsItsRemoteAddress() async throws {
        let server = try await server()
        let metrics = try await transport().run(get("http://sample.test/")).ends.first?.metrics
        #expect(metrics?.remoteAddress == folder["s"])
        #expect(metrics?.remotePort == 0)
        withExtendedLifetime(server) {}
    }

    /// Unasked bytes could answer the next request: these connections have no port by which the wire tells them apart.
    @Test func bytesAfterAnAnswerDoNotAnswerTheNextCall() async throws {
        let server = try await LoopbackServer(.init(unixSocketPath: folder["s"])) { exchange in
            let answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
            try await exchange.send(raw: answer + exchange.request.path.prefix(5) + answer + "rogue")
        }
        let transport = transport()
        let answers = (0..<20).map { transport.begin(get("http://sample.test/call\($0)")) }
        for answer in answers { #expect(try await answer.sink.waitForEnd().text == "/call") }
        #expect(server.connectionCount == 20)
    }

    @Test func sendsABody() async throws {
        let server = try await LoopbackServer(.init(unixSocketPath: folder["s"])) { exchange in
            try await exchange.respond(body: try await exchange.body())
        }
        let body = unlikeBytes(1 << 20)
        let request = HTTPRequest(method: "POST", url: "http://sample.test/", body: .data(body))
        #expect(try await transport().run(request).body == body)
        withExtendedLifetime(server) {}
    }

    // MARK: Failures

    @Test func namesASocketThatIsMissing() async throws {
        let failure = try await transport().run(get("http://sample.test/")).failure
        #expect(failure?.kind == .connect)
        #expect(failure?.message == "unixSockets: \(folder["s"]) does not exist. Is the server running?")
    }

    @Test func namesAFileThatIsNotASocket() async throws {
        try Data().write(to: URL(fileURLWithPath: folder["s"]))
        let failure = try await transport().run(get("http://sample.test/")).failure
        #expect(failure?.kind == .connect)
        #expect(failure?.message == "unixSockets: \(folder["s"]) is not a socket.")
    }

    @Test func namesASocketWithoutAListener() async throws {
        let server = try await server()
        let left = folder["left"]
        // A server that ends without its cleaning up leaves its socket: so does another name of it.
        #expect(link(folder["s"], left) == 0)
        await server.stopAndWait()
        let transport = CurlTransport.separate(
            TransportConfiguration(proxy: .none, unixSockets: [.init(path: left, origin: "http://sample.test")]))
        let failure = try await transport.run(get("http://sample.test/")).failure
        #expect(failure?.kind == .connect)
        #expect(failure?.message.hasPrefix("unixSockets: \(left) takes no connection") == true)
    }

    @Test func connectsOnceTheSocketExists() async throws {
        let transport = transport()
        #expect(try await transport.run(get("http://sample.test/")).failure?.kind == .connect)
        let server = try await server()
        #expect(try await transport.run(get("http://sample.test/")).text == "s /")
        withExtendedLifetime(server) {}
    }

    @Test(arguments: [
        (
            TransportConfiguration.UnixSocket(path: String(repeating: "x", count: 108), origin: "http://a"),
            "has 108 bytes"
        ),
        (.init(path: "", origin: "http://a"), "\"\" is no path"),
        (.init(path: "/s\0", origin: "http://a"), "is no path"),
        (.init(path: "/s", origin: "sample.test"), "\"sample.test\" is no origin"),
        (.init(path: "/s", origin: "ftp://sample.test"), "is no origin"),
        (.init(path: "/s", origin: "http://sample.test/path"), "is no origin"),
        (.init(path: "/s", origin: ""), "\"\" is no origin"),
    ])
    func refusesASettingThatCannotBe(_ setting: TransportConfiguration.UnixSocket, _ text: String) throws {
        let transport = CurlTransport.separate(TransportConfiguration(unixSockets: [setting]))
        let failure = try #require(transport.configurationFailure)
        #expect(failure.kind == .unsupported)
        #expect(failure.message.hasPrefix("unixSockets: "))
        #expect(failure.message.contains(text), "\(failure.message)")
    }

    @Test func refusesTwoSocketsOfOneOrigin() {
        let sockets = ["http://a", "http://A:80"].map { TransportConfiguration.UnixSocket(path: "/s", origin: $0) }
        let transport = CurlTransport.separate(TransportConfiguration(unixSockets: sockets))
        #expect(transport.configurationFailure?.message == "unixSockets: http://A:80 has two sockets. Give one.")
    }

    @Test func acceptsTheLongestPath() {
        let setting = TransportConfiguration.UnixSocket(path: String(repeating: "x", count: 107), origin: "http://a")
        #expect(CurlTransport.separate(TransportConfiguration(unixSockets: [setting])).configurationFailure == nil)
    }
}
#endif
