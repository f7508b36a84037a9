#if os(Linux)
import Foundation
import MoyaCurl
import MoyaTransport
import Testing
import TransportConformance

/// Servers of an authority that the session does not know, but the policy.
@Suite(
    .timeLimit(.minutes(3)),
    .enabled(if: TestAuthority.isAvailable, "openssl is missing, which makes certificates and serves over TLS"))
struct HandshakeRevocationTests {
    private let authority: TestAuthority

    init() throws { authority = try TestAuthority() }

    /// The reason for which the policy refuses a server that does not send the root; `nil` if it accepts.
    private func refusal(
        of certificate: String, options: String = "", by check: RevocationCheck, anchors: [String] = ["root"]
    ) async throws -> TrustRefusal.Reason? {
        let anchors = try anchors.map(authority.certificate)
        return try await refusal(of: certificate, options: options) { server in
            if let refusal = server.refusal(of: PlatformValidation(anchors: anchors)) { throw refusal }
            if let refusal = server.refusal(of: check) { throw refusal }
        }
    }

    private func refusal(
        of certificate: String, options: String = "", judge: @escaping @Sendable (PresentedServerTrust) throws -> Void
    ) async throws -> TrustRefusal.Reason? {
        let server = try await TLSServer(authority, certificate: certificate, options: "-www \(options)")
        let transport = CurlTransport.separate(
            TransportConfiguration(trustPolicy: JudgedTrust(judge: judge), proxy: .none))
        let recording = try await transport.run(server.request())
        guard let failure = recording.failure else { return nil }
        return try #require(failure.trustRefusal, "\(failure)").reason
    }

    @Test func trustThatIsAskedAfterItsEvaluationRefuses() async throws {
        let kept = Lock<PresentedServerTrust?>(nil)
        let reason = try await refusal(of: "revoked", options: "") { trust in kept.withLock { $0 = trust } }
        #expect(reason == nil)
        let trust = try #require(kept.withLock { $0 })
        #expect(trust.refusal(of: PlatformValidation())?.message.contains("after its evaluation") == true)
        #expect(trust.refusal(of: RevocationCheck())?.message.contains("after its evaluation") == true)
    }

    private func list() throws -> RevocationCheck {
        RevocationCheck(usesStapledResponse: false, revocationLists: [try authority.revocationList()])
    }

    private func strictList() throws -> RevocationCheck {
        var check = try list()
        check.requiresPositiveResponse = true
        return check
    }

    @Test func listOfAnAnchorThatTheServerOmitsRevokesItsCertificate() async throws {
        #expect(try await refusal(of: "revoked", by: list()) == .revoked)
    }

    @Test func listOfAnAnchorThatTheServerOmitsRevokesAnIntermediate() async throws {
        let reason = try await refusal(of: "below", options: "-cert_chain intermediate.pem", by: list())
        #expect(reason == .revoked)
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func stapledResponseOfAnAnchorThatTheServerOmitsRevokesItsCertificate(version: String) async throws {
        let options = "\(version) -status_file revoked.ocsp"
        #expect(try await refusal(of: "revoked", options: options, by: RevocationCheck()) == .revoked)
    }

    @Test func listOfAnAnchorRevokesACertificateThatIsAnAnchorToo() async throws {
        #expect(try await refusal(of: "revoked", by: list(), anchors: ["revoked", "root"]) == .revoked)
    }

    @Test func listOfAnAnchorThatTheServerOmitsProvesItsCertificateGood() async throws {
        #expect(try await refusal(of: "good", by: strictList()) == nil)
    }

    @Test func aServerWithoutListsIsUnknownToAStrictCheck() async throws {
        let check = RevocationCheck(requiresPositiveResponse: true)
        #expect(try await refusal(of: "good", by: check) == .revocationUnknown)
    }

    @Test(arguments: [Data("garbage".utf8), nil]) func malformedAnchorIsNamed(malformed: Data?) async throws {
        let root = try authority.certificate("root")
        let malformed = malformed ?? root + [0]
        let reason = try await refusal(of: "good") { server in
            let refusal = try #require(server.refusal(of: PlatformValidation(anchors: [root, malformed])))
            #expect("\(refusal)".contains("an anchor of the check is not a certificate"))
            throw refusal
        }
        #expect(reason == .unknownIssuer)
    }

    @Test func anchorsOfThePolicyAreNotThoseOfTheSession() async throws {
        let root = try authority.certificate("root")
        let reason = try await refusal(of: "good") { server in
            guard server.refusal(of: PlatformValidation(anchors: [root])) == nil else { return }
            if let refusal = server.refusal(of: PlatformValidation()) { throw refusal }
        }
        #expect(reason == .unknownIssuer)
    }
}
#endif
