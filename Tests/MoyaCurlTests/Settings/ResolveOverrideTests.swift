#if os(Linux)
import Foundation
import MoyaTesting
import MoyaTransport
import Testing
import TransportConformance

@testable import MoyaCurl

@Suite(.timeLimit(.minutes(3))) struct ResolveOverrideTests {
    typealias Override = TransportConfiguration.ResolveOverride

    private func transport(_ overrides: Override..., proxy: TransportConfiguration.ProxySetting = .none)
        -> CurlTransport
    {
        .separate(TransportConfiguration(proxy: proxy, resolveOverrides: overrides))
    }

    private func server(_ family: LoopbackServer.AddressFamily = .ipv4) async throws -> LoopbackServer {
        try await LoopbackServer(.init(addressFamily: family)) { try await $0.respond(body: $0.request.path) }
    }

    private func get(_ url: String) -> HTTPRequest { HTTPRequest(method: "GET", url: url) }

    @Test(arguments: ["sample.test", "SAMPLE.test.", "Sample.Test"])
    func connectsToTheAddressOfAName(_ host: String) async throws {
        let server = try await server()
        let transport = transport(Override(host: "Sample.test", port: server.port, addresses: ["127.0.0.1"]))
        #expect(try await transport.run(get("http://\(host):\(server.port)/a")).text == "/a")
        #expect(server.requests.first?.fields["Host"] == "\(host):\(server.port)")
    }

    @Test(arguments: ["sample.test", "sample.test."])
    func connectsToAnotherPort(_ host: String) async throws {
        let server = try await server()
        let transport = transport(
            Override(host: "sample.test", port: 80, addresses: ["127.0.0.1"], connectPort: server.port))
        #expect(try await transport.run(get("http://\(host)/a")).text == "/a")
        #expect(server.requests.first?.fields["Host"] == host)
    }

    @Test func connectsToAnAddressOfIPv6() async throws {
        let server = try await server(.ipv6)
        let transport = transport(
            Override(host: "one.test", port: server.port, addresses: ["::1"]),
            Override(host: "two.test", port: 80, addresses: ["::1"], connectPort: server.port))
        #expect(try await transport.run(get("http://one.test:\(server.port)/1")).text == "/1")
        #expect(try await transport.run(get("http://two.test/2")).text == "/2")
    }

    @Test func triesTheNextAddressWhereOneRefuses() async throws {
        let server = try await server()
        let addresses = ["127.0.0.2", "127.0.0.1"]
        let transport = transport(
            Override(host: "one.test", port: server.port, addresses: addresses),
            Override(host: "two.test", port: 80, addresses: addresses, connectPort: server.port))
        #expect(try await transport.run(get("http://one.test:\(server.port)/1")).text == "/1")
        #expect(try await transport.run(get("http://two.test/2")).text == "/2")
    }

    /// libcurl 7.88 would wait for half the limit of connecting.
    @Test func triesAThirdAddressAtOnce() async throws {
        let server = try await server()
        let transport = transport(
            Override(host: "one.test", port: server.port, addresses: ["127.0.0.3", "127.0.0.2", "127.0.0.1"]))
        let began = ContinuousClock.now
        let request = HTTPRequest(
            method: "GET", url: "http://one.test:\(server.port)/1", timeouts: .init(connect: 120))
        #expect(try await transport.run(request).text == "/1")
        #expect(ContinuousClock.now - began < .seconds(30))
    }

    @Test func leavesOtherPortsOfTheNameAlone() async throws {
        let (one, other) = (try await server(), try await server())
        let transport = transport(
            Override(host: "localhost", port: 80, addresses: ["127.0.0.1"], connectPort: one.port))
        #expect(try await transport.run(get("http://localhost/1")).text == "/1")
        #expect(try await transport.run(get("http://localhost:\(other.port)/2")).text == "/2")
        #expect(other.requests.count == 1)
    }

    @Test func holdsForEachRequest() async throws {
        let server = try await server()
        let transport = transport(
            Override(host: "sample.test", port: 80, addresses: ["127.0.0.1"], connectPort: server.port))
        for number in 0..<3 {
            let request = HTTPRequest(method: "POST", url: "http://sample.test/\(number)", body: .data(Data("x".utf8)))
            #expect(try await transport.run(request).text == "/\(number)")
        }
        #expect(server.connectionCount == 1)
    }

    @Test(arguments: [
        (
            Override(host: "http://sample.test", port: 80, addresses: ["127.0.0.1"]),
            "\"http://sample.test\" is no host name"
        ),
        (Override(host: "sample.test:80", port: 80, addresses: ["127.0.0.1"]), "is no host name"),
        (
            Override(host: "me:s3cret@sample.test", port: 80, addresses: ["127.0.0.1"]),
            ": \"sample.test\" is no host name"
        ),
        (Override(host: "*.sample.test", port: 80, addresses: ["127.0.0.1"]), "is no host name"),
        (Override(host: "", port: 80, addresses: ["127.0.0.1"]), "\"\" is no host name"),
        (Override(host: "127.0.0.1", port: 80, addresses: ["127.0.0.1"]), "is no host name"),
        (Override(host: "[::1]", port: 80, addresses: ["127.0.0.1"]), "is no host name"),
        (Override(host: "sample.test", port: 0, addresses: ["127.0.0.1"]), "port 0 of sample.test"),
        (Override(host: "sample.test", port: 65_536, addresses: ["127.0.0.1"]), "port 65536"),
        (Override(host: "sample.test", port: 80, addresses: ["127.0.0.1"], connectPort: -1), "port -1"),
        (Override(host: "sample.test", port: 80, addresses: []), "has no address"),
        (
            Override(host: "sample.test", port: 80, addresses: ["localhost"]),
            "\"localhost\" for sample.test is no address"
        ),
        (Override(host: "sample.test", port: 80, addresses: ["127.0.0.1", "127.1"]), "\"127.1\" for"),
        (Override(host: "sample.test", port: 80, addresses: ["127.0.0.1,::1"]), "is no address"),
        (Override(host: "sample.test", port: 80, addresses: ["::1\0"]), "is no address"),
    ])
    func refusesAnOverrideThatDoesNotParse(_ entry: Override, _ text: String) throws {
        let failure = try #require(transport(entry).configurationFailure)
        #expect(failure.kind == .unsupported)
        #expect(failure.message.hasPrefix("resolveOverrides: "))
        #expect(failure.message.contains(text), "\(failure.message)")
    }

    @Test func refusesTwoOverridesOfOneName() {
        let entries = ["a.test", "A.test."].map { Override(host: $0, port: 80, addresses: ["127.0.0.1"]) }
        let failure = transport(entries[0], entries[1]).configurationFailure
        #expect(failure?.message == "resolveOverrides: A.test.:80 has two overrides. Give one, with all addresses.")
    }

    @Test func refusesOverridesTogetherWithAProxy() {
        let failure =
            transport(
                Override(host: "sample.test", port: 80, addresses: ["127.0.0.1"]),
                proxy: .custom(.init(.http, host: "proxy.test", port: 3128))
            ).configurationFailure
        #expect(failure?.kind == .unsupported)
        #expect(failure?.message.hasPrefix("resolveOverrides: The proxy http://proxy.test:3128 resolves names") == true)
    }

    @Test func anOverrideThatDoesNotParseEndsEveryExchange() async throws {
        let server = try await server()
        let transport = transport(Override(host: "sample.test", port: 80, addresses: ["here"]))
        let answer = try await transport.run(server.request())
        #expect(answer.failure == transport.configurationFailure)
        #expect(server.connectionCount == 0)
    }
}
#endif
