#if os(Linux)
import MoyaCurl
import MoyaTesting
import MoyaTransport
import Testing
import TransportConformance

/// A server that renegotiates, with a policy that accepts it only the first time.
@Suite(
    .timeLimit(.minutes(3)),
    .enabled(if: TestAuthority.isAvailable, "openssl is missing, which makes certificates and serves over TLS"))
struct HandshakeTests {
    private struct RefusedAgain: Error {}

    private let server: TLSServer
    private let transport: CurlTransport

    init() async throws {
        // A resumed session would show no certificate to evaluate.
        server = try await TLSServer(TestAuthority(), certificate: "good", options: "-tls1_2 -no_ticket -no_cache")
        let count = Lock(0)
        let policy = JudgedTrust { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            if number > 1 { throw RefusedAgain() }
        }
        transport = .separate(TransportConfiguration(trustPolicy: policy, proxy: .none))
    }

    @Test func namesTheSettingThatTheServersVersionDoesNotMeet() async throws {
        let strict = CurlTransport.separate(
            TransportConfiguration(
                trustPolicy: JudgedTrust { _ in }, minimumTLSVersion: .tls13, proxy: .none))
        let message = try await strict.run(server.request()).failure?.message
        #expect(message?.hasSuffix("; minimumTLSVersion is .tls13") == true, "\(message ?? "none")")
    }

    @Test func refusalAtARenegotiationEndsTheExchangeOfTheFirstHandshake() async throws {
        let running = transport.begin(server.request("/first"))
        try await server.wait(for: "GET /first")
        server.write("r\n")
        #expect(try await running.sink.waitForEnd().kind == .tls(.refusedByPolicy))
    }

    /// The transfer of the first exchange carries the one with the other server when the policy refuses.
    @Test func refusalAtARenegotiationSparesAnExchangeWithAnotherServer() async throws {
        let gate = Gate()
        let other = try await LoopbackServer { exchange in
            try await gate.wait()
            try await exchange.respond(body: "here")
        }
        let first = transport.begin(server.request("/first"))
        try await server.wait(for: "GET /first")
        server.write("HTTP/1.1 204 No Content\r\n\r\n")
        _ = try await first.sink.waitForEnd()
        let spared = transport.begin(other.request())
        try await gate.waitForArrivals(1)
        let second = transport.begin(server.request("/second"))
        try await server.wait(for: "GET /second")
        server.write("r\n")
        _ = try await second.sink.waitForEnd()
        gate.open()
        #expect(try await spared.sink.waitForEnd().text == "here")
    }
}
#endif
