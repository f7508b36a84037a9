#if os(Linux)
import CMoyaCurl
import Foundation
import MoyaTesting
import MoyaTransport
import Testing
import TransportConformance

@testable import MoyaCurl

@Suite(.timeLimit(.minutes(3)), .enabled(if: CurlLibrary.loaded.has(CURL_VERSION_NTLM), "this libcurl lacks NTLM"))
struct NTLMChallengeTests {
    private static let user = TransportAuthentication(scheme: .ntlm, user: "DOMAIN\\user", password: "password")

    /// The second message as [MS-NLMP] section 2.2.1.2 lays it out: a challenge, and one fact about the target.
    private static let challenge: String = {
        let target = Array("SERVER".utf16).flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        let facts: [UInt8] = [2, 0, UInt8(target.count), 0] + target + [0, 0, 0, 0]
        func field(_ count: Int, at offset: Int) -> [UInt8] {
            [UInt8(count), 0, UInt8(count), 0, UInt8(offset), 0, 0, 0]
        }
        // Unicode, a target, NTLM, extended session security, facts about the target.
        let flags: [UInt8] = [0x05, 0x82, 0x89, 0x20]
        var message: [UInt8] = Array("NTLMSSP".utf8) + [0, 2, 0, 0, 0]
        message +=
            field(target.count, at: 48) + flags + [1, 35, 69, 103, 137, 171, 205, 239] + Array(repeating: 0, count: 8)
        message += field(facts.count, at: 48 + target.count) + target + facts
        return Data(message).base64EncodedString()
    }()

    /// The type of the handshake message in an Authorization.
    private static func message(in authorization: String?) -> UInt8? {
        guard let authorization, authorization.hasPrefix("NTLM "),
            let bytes = Data(base64Encoded: String(authorization.dropFirst(5))), bytes.count > 8
        else { return nil }
        return bytes[8]
    }

    private func server(accepts: Bool) async throws -> LoopbackServer {
        try await LoopbackServer { exchange in
            try await exchange.discardBody()
            switch Self.message(in: exchange.request.fields["Authorization"]) {
            case 1:
                try await exchange.respond(401, ["WWW-Authenticate": "NTLM \(Self.challenge)"], body: "go on")
            case 3 where accepts: try await exchange.respond(body: "welcome")
            default: try await exchange.respond(401, ["WWW-Authenticate": "NTLM"], body: "denied")
            }
        }
    }

    private func run(
        _ server: LoopbackServer, as authentication: TransportAuthentication? = user,
        on transport: CurlTransport = .separate()
    ) async throws -> HeardEvents {
        var request = server.request()
        request.authentication = authentication
        return try await transport.run(request)
    }

    @Test func threeMessagesOnOneConnectionAreOneResponse() async throws {
        let server = try await server(accepts: true)
        let answer = try await run(server)
        #expect(answer.heads.map(\.status) == [200])
        #expect(answer.text == "welcome")
        #expect(server.requests.compactMap { Self.message(in: $0.fields["Authorization"]) } == [1, 3])
        #expect(server.connectionCount == 1)
    }

    @Test func aRefusedProofIsTheResponse() async throws {
        let server = try await server(accepts: false)
        let answer = try await run(server)
        #expect(answer.heads.map(\.status) == [401])
        #expect(answer.text == "denied")
        #expect(answer.failure == nil)
    }

    @Test func authenticatedConnectionIsNotShared() async throws {
        let server = try await server(accepts: true)
        let transport = CurlTransport.separate()
        #expect(try await run(server, on: transport).text == "welcome")
        #expect(try await run(server, as: nil, on: transport).head?.status == 401)
        #expect(server.requests.last?.connectionNumber == 2)
        #expect(server.requests.last?.fields["Authorization"] == nil)
    }

    @Test func theConnectionOfAnotherExchangeIsNotTakenOverWithItsProof() async throws {
        let server = try await server(accepts: true)
        let transport = CurlTransport.separate()
        #expect(try await run(server, as: nil, on: transport).head?.status == 401)
        #expect(try await run(server, on: transport).text == "welcome")
        #expect(try await run(server, as: nil, on: transport).head?.status == 401)
    }
}
#endif
