#if os(Linux)
import Foundation
import MoyaCurl
import MoyaTesting
import MoyaTransport
import Testing
import TransportConformance

/// A server that requires a certificate of its own authority from its clients.
@Suite(
    .timeLimit(.minutes(3)),
    .enabled(if: TestAuthority.isAvailable, "openssl is missing, which makes certificates and serves over TLS"))
struct ClientCertificateTests {
    private let authority: TestAuthority

    init() throws { authority = try TestAuthority() }

    /// The response to a client with an identity, or without one.
    private func answer(
        to identity: TransportConfiguration.ClientIdentity?, version: String
    ) async throws -> HeardEvents {
        let server = try await TLSServer(
            authority, certificate: "good",
            options: "\(version) -www -Verify 1 -verify_return_error -CAfile root.pem")
        defer { withExtendedLifetime(server) {} }
        return try await transport(identity).run(server.request())
    }

    private func transport(_ identity: TransportConfiguration.ClientIdentity?) throws -> CurlTransport {
        .separate(
            TransportConfiguration(
                certificateAuthorities: .certificates([try authority.certificate("root")]), clientIdentity: identity,
                proxy: .none))
    }

    private func identity(of authority: TestAuthority) throws -> TransportConfiguration.ClientIdentity {
        func url(_ name: String) -> URL { URL(fileURLWithPath: authority.folder[name]) }
        return try .pem(certificateChainFile: url("good.pem"), privateKeyFile: url("good.key"))
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"]) func acceptsAClientOfItsAuthority(version: String) async throws {
        let answer = try await answer(to: identity(of: authority), version: version)
        #expect(answer.failure == nil)
        #expect(answer.head?.status == 200)
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"]) func refusesAClientOfAnotherAuthority(version: String) async throws {
        let answer = try await answer(to: identity(of: TestAuthority()), version: version)
        #expect(answer.kind == .tls(.clientCertificate), "\(answer.failure as Any)")
    }

    /// Over TLS 1.2 the alert of a server does not say what it misses.
    @Test func refusesAClientWithoutACertificate() async throws {
        let answer = try await answer(to: nil, version: "-tls1_3")
        #expect(answer.kind == .tls(.clientCertificate), "\(answer.failure as Any)")
    }
}
#endif
