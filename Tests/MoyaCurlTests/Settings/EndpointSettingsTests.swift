#if os(Linux)
import CMoyaCurl
import Foundation
import MoyaTesting
import MoyaTransport
import Testing
import TransportConformance

@testable import MoyaCurl

@Suite(.timeLimit(.minutes(3))) struct EndpointSettingsTests {
    private func transport(_ endpoint: TransportConfiguration.LocalEndpoint) -> CurlTransport {
        .separate(TransportConfiguration(proxy: .none, localEndpoint: endpoint))
    }

    private func echo(_ family: LoopbackServer.AddressFamily = .ipv4) async throws -> LoopbackServer {
        try await LoopbackServer(.init(addressFamily: family)) { try await $0.respond(body: "here") }
    }

    private func get(_ url: String) -> HTTPRequest { HTTPRequest(method: "GET", url: url) }

    // MARK: Local address

    @Test func connectsFromTheLocalAddress() async throws {
        let server = try await echo()
        let transport = transport(.address("127.0.0.9"))
        let running = transport.begin(server.request())
        #expect(try await running.sink.waitForEnd().text == "here")
        #expect(Self.localAddresses(ofConnectionsTo: server.port).contains("127.0.0.9"))
        withExtendedLifetime(transport) {}
    }

    @Test func connectsFromTheInterface() async throws {
        let server = try await echo()
        #expect(try await transport(.interface("lo")).run(server.request()).text == "here")
    }

    @Test func namesALocalAddressThatIsNotHere() async throws {
        let server = try await echo()
        let failure = try await transport(.address("192.0.2.1")).run(server.request()).failure
        #expect(failure?.kind == .connect)
        #expect(failure?.message.hasSuffix(", from the local address 192.0.2.1") == true, "\(failure?.message ?? "")")
    }

    @Test func namesAnInterfaceThatIsNotHere() async throws {
        let server = try await echo()
        let failure = try await transport(.interface("none0")).run(server.request()).failure
        #expect(failure?.kind == .connect)
        #expect(failure?.message.hasSuffix(", from the interface none0") == true, "\(failure?.message ?? "")")
    }

    @Test func namesALocalAddressOfTheOtherFamily() async throws {
        let server = try await echo()
        let failure = try await transport(.address("::1")).run(server.request()).failure
        #expect(failure?.kind == .connect || failure?.kind == .dns)
        #expect(failure?.message.hasSuffix(", from the local address ::1") == true, "\(failure?.message ?? "")")
    }

    @Test(arguments: [
        (TransportConfiguration.LocalEndpoint.address("localhost"), "\"localhost\" is no address"),
        (.address(""), "\"\" is no address"), (.address("host!127.0.0.1"), "is no address"),
        (.interface(""), "\"\" is no name"), (.interface("0123456789abcdef"), "is no name"),
        (.interface("if!lo"), "is no name"), (.interface("e th"), "is no name"), (.interface("lo\0"), "is no name"),
    ])
    func refusesAnInvalidLocalEndpoint(_ endpoint: TransportConfiguration.LocalEndpoint, _ text: String) throws {
        let failure = try #require(transport(endpoint).configurationFailure)
        #expect(failure.kind == .unsupported)
        #expect(failure.message.hasPrefix("localEndpoint: "))
        #expect(failure.message.contains(text), "\(failure.message)")
    }

    // MARK: DNS servers

    @Test(arguments: [
        "dns.sample.test", "", "192.0.2.53:0", "192.0.2.53:70000", "2001:db8::53:x", "[192.0.2.53]:53", "1,2",
    ])
    func refusesADNSServerThatIsNotAnAddress(_ server: String) throws {
        let transport = CurlTransport.separate(TransportConfiguration(dnsServers: [server]))
        let failure = try #require(transport.configurationFailure)
        #expect(failure.message.hasPrefix("dnsServers: \(server.debugDescription) is no address"), "\(failure.message)")
    }

    @Test(arguments: ["192.0.2.53", "192.0.2.53:5353", "[2001:db8::53]:5353"])
    func refusesDNSServersWhereLibcurlLacksThem(_ server: String) throws {
        let library = CurlLibrary(
            version: .oldest, features: CurlLibrary.loaded.features, hasDNSServers: false)
        let settings = CurlSettings(TransportConfiguration(dnsServers: [server]), library: library)
        #expect(settings.failure?.kind == .unsupported)
        #expect(
            settings.failure?.message
                == "dnsServers cannot be honoured: this libcurl (7.81.0) was built without c-ares. Use resolveOverrides, "
                + "or the system's DNS servers.")
    }

    @Test func takesDNSServersOfALibcurlThatHasThem() {
        let library = CurlLibrary(version: .oldest, features: CurlLibrary.loaded.features, hasDNSServers: true)
        let configuration = TransportConfiguration(dnsServers: ["192.0.2.53", "[2001:db8::53]:5353"])
        #expect(CurlSettings(configuration, library: library).failure == nil)
    }

    @Test(.enabled(if: CurlLibrary.loaded.hasDNSServers, "this libcurl was built without c-ares"))
    func callsWithDNSServers() async throws {
        let server = try await echo()
        let transport = CurlTransport.separate(
            TransportConfiguration(proxy: .none, dnsServers: ["127.0.0.1", "127.0.0.1:5353", "[::1]:5353"]))
        #expect(transport.configurationFailure == nil)
        #expect(try await transport.run(server.request()).text == "here")
    }

    @Test(.disabled(if: CurlLibrary.loaded.hasDNSServers, "this libcurl was built with c-ares"))
    func everyCallFailsIfLibcurlRefusesTheDNSServers() async throws {
        let server = try await echo()
        let library = CurlLibrary(
            version: .loaded, features: CurlLibrary.loaded.features, hasDNSServers: true)
        let transport = CurlTransport(
            configuration: TransportConfiguration(proxy: .none, dnsServers: ["127.0.0.1"]),
            loops: [CurlLoop(name: "test")], library: library)
        for _ in 0..<2 {
            let failure = try await transport.run(server.request()).failure
            #expect(failure?.kind == .unsupported)
            #expect(failure?.message.hasPrefix("dnsServers cannot be honoured: this libcurl (") == true)
        }
        #expect(server.requests.isEmpty)
    }

    // MARK: Unix sockets

    @Test func refusesUnixSocketsWhereLibcurlLacksThem() {
        func failure(_ sockets: [TransportConfiguration.UnixSocket]) -> TransportFailure? {
            let library = CurlLibrary(
                version: .oldest, features: CurlLibrary.loaded.features & ~CURL_VERSION_UNIX_SOCKETS,
                hasDNSServers: false)
            return CurlSettings(TransportConfiguration(proxy: .none, unixSockets: sockets), library: library).failure
        }
        let refusal = failure([.init(path: "/s", origin: "http://sample.test")])
        #expect(refusal?.kind == .unsupported)
        #expect(refusal?.message == "unixSockets cannot be honoured: this libcurl (7.81.0) was built without.")
        #expect(failure([]) == nil)
    }

    // MARK: Happy eyeballs

    /// The call with the short delay has its answer only after the default delay of the other has passed.
    @Test func delaysIPv4() async throws {
        let server = try await echo()
        let silent = try UnansweredPort(.ipv6, port: server.port)
        func transport(_ delay: Duration) -> CurlTransport {
            .separate(
                TransportConfiguration(
                    proxy: .none,
                    resolveOverrides: [.init(host: "both.test", port: silent.port, addresses: ["::1", "127.0.0.1"])],
                    happyEyeballsDelay: delay))
        }
        let request = get("http://both.test:\(silent.port)/")
        let patient = transport(.seconds(3_600))
        var held = request
        held.timeouts.connect = 86_400
        let waiting = patient.begin(held)
        #expect(try await transport(.milliseconds(400)).run(request).head?.status == 200)
        #expect(waiting.sink.heard.order.isEmpty)
        waiting.handle.cancel()
        #expect(try await waiting.sink.waitForEnd().kind == .cancelled)
        withExtendedLifetime((silent, patient)) {}
    }

    // MARK: Key log

    @Test func refusesAKeyLogInAReleaseBuild() throws {
        let folder = try SocketFolder()
        let error = #expect(throws: TransportFailure.self) {
            try KeyLogFile(at: URL(fileURLWithPath: folder["keys"]), isDebugBuild: false)
        }
        #expect(error?.kind == .unsupported)
        #expect(error?.message.hasPrefix("tlsKeyLogFile: keys are written in debug builds only") == true)
        #expect(!FileManager.default.fileExists(atPath: folder["keys"]))
    }

    @Test func makesTheKeyLogReadableByItsOwnerOnly() throws {
        let folder = try SocketFolder()
        let log = try KeyLogFile(at: URL(fileURLWithPath: folder["keys"]))
        let attributes = try FileManager.default.attributesOfItem(atPath: folder["keys"])
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        withExtendedLifetime(log) {}
    }

    @Test func makesAnExistingKeyLogReadableByItsOwnerOnly() throws {
        let folder = try SocketFolder()
        #expect(FileManager.default.createFile(atPath: folder["keys"], contents: Data("earlier\n".utf8)))
        #expect(chmod(folder["keys"], 0o644) == 0)
        let log = try KeyLogFile(at: URL(fileURLWithPath: folder["keys"]))
        let attributes = try FileManager.default.attributesOfItem(atPath: folder["keys"])
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(FileManager.default.contents(atPath: folder["keys"]) == Data("earlier\n".utf8))
        withExtendedLifetime(log) {}
    }

    @Test func refusesAPipeOrADeviceAsAKeyLog() throws {
        let folder = try SocketFolder()
        #expect(mkfifo(folder["pipe"], 0o600) == 0)
        let reader = open(folder["pipe"], O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        for path in [folder["pipe"], "/dev/null"] {
            let error = #expect(throws: TransportFailure.self) { try KeyLogFile(at: URL(fileURLWithPath: path)) }
            #expect(error?.message.hasPrefix("tlsKeyLogFile: \(path) is a ") == true)
            #expect(error?.message.contains("not a regular file") == true)
        }
    }

    /// Only a superuser can make such a file.
    @Test(.enabled(if: geteuid() == 0, "makes a file of another user")) func refusesAKeyLogOfAnotherUser() throws {
        let folder = try SocketFolder()
        #expect(FileManager.default.createFile(atPath: folder["keys"], contents: nil))
        #expect(chown(folder["keys"], 65534, 65534) == 0)
        let error = #expect(throws: TransportFailure.self) {
            try KeyLogFile(at: URL(fileURLWithPath: folder["keys"]))
        }
        #expect(error?.message.contains("belongs to another user") == true)
    }

    @Test func namesAKeyLogThatCannotBeWritten() throws {
        let folder = try SocketFolder()
        let file = URL(fileURLWithPath: folder["missing/keys"])
        let transport = CurlTransport.separate(TransportConfiguration(tlsKeyLogFile: file))
        let failure = try #require(transport.configurationFailure)
        #expect(failure.message.hasPrefix("tlsKeyLogFile: \(file.path) cannot be opened: "))
    }

    // MARK: HTTP/2 by prior knowledge

    /// libcurl 8.14 gives up only when the server closes, as an HTTP/1.1 server does after bytes that are not a
    /// request.
    @Test func speaksHTTP2WithoutTLSFromTheFirstByte() async throws {
        let listener = try RawListener(closesAfterAnswer: true)
        let transport = CurlTransport.separate(
            TransportConfiguration(httpVersions: .http2PriorKnowledge, proxy: .none))
        let answer = try await transport.run(get(listener.url.absoluteString + "/"))
        #expect(answer.head == nil)
        #expect(answer.failure?.message.contains("httpVersions: .http2PriorKnowledge") == true)
        #expect(try await listener.received().first?.hasPrefix("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") == true)
    }

    @Test func refusesPriorKnowledgeThroughAnHTTPProxy() {
        func failure(_ kind: TransportConfiguration.Proxy.Kind) -> TransportFailure? {
            CurlTransport.separate(
                TransportConfiguration(
                    httpVersions: .http2PriorKnowledge, proxy: .custom(.init(kind, host: "proxy.test", port: 1)))
            ).configurationFailure
        }
        #expect(failure(.http)?.message.hasPrefix("httpVersions: .http2PriorKnowledge cannot be honoured") == true)
        #expect(failure(.socks5) == nil)
    }

    // MARK: Support

    /// The local addresses of this machine's connections to a port on 127.0.0.1, as the kernel lists them.
    private static func localAddresses(ofConnectionsTo port: Int) -> Set<String> {
        // Files of the kernel have no size to read by.
        let table = (try? FileHandle(forReadingAtPath: "/proc/self/net/tcp")?.readToEnd()) ?? Data()
        let lines = String(decoding: table, as: UTF8.self).split(separator: "\n")
        let hex = String(port, radix: 16, uppercase: true)
        let remote = ":" + String(repeating: "0", count: 4 - hex.count) + hex
        return Set(
            lines.compactMap { line in
                let words = line.split(separator: " ")
                guard words.count > 2, words[2].hasSuffix(remote), let address = words[1].split(separator: ":").first,
                    let number = UInt32(address, radix: 16)
                else { return nil }
                return withUnsafeBytes(of: number) { $0.map(String.init).joined(separator: ".") }
            })
    }
}
#endif
