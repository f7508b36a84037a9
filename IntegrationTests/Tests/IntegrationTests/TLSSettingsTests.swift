import Foundation
import Moya
import MoyaSession
import Testing

/// The versions of TLS that a session speaks, and the authorities that it is given.
@Suite(.needsServers)
struct TLSSettingsTests {
    let servers: Servers

    init() throws { servers = try #require(Servers.running) }

    private func status(_ configuration: TransportConfiguration, at server: URL) async throws -> Int {
        try await MoyaProvider<Call>(session: .with(configuration)).request(.get(server, "/static/small.json"))
            .statusCode
    }

    private func failure(_ configuration: TransportConfiguration, at server: URL) async throws -> TransportFailure {
        let error = await #expect(throws: MoyaError.self) { try await status(configuration, at: server) }
        guard case .underlying(let cause, _)? = error else {
            throw TransportFailure(.other, message: "\(error as Any)")
        }
        return try #require((cause as? SessionError)?.transportFailure)
    }

    // MARK: Versions

    @Test func aServerOfTheOldestAllowedVersionIsAccepted() async throws {
        let configuration = TransportConfiguration(certificateAuthorities: .file(servers.certificateAuthority))
        #expect(try await status(configuration, at: servers.nginxTLS12) == 200)
    }

    @Test func aServerOfAnOlderVersionIsRefused() async throws {
        let configuration = TransportConfiguration(
            certificateAuthorities: .file(servers.certificateAuthority), minimumTLSVersion: .tls13)
        #expect(try await failure(configuration, at: servers.nginxTLS12).kind == .tls(.handshake))
    }

    @Test func aServerOfANewerVersionIsAccepted() async throws {
        let configuration = TransportConfiguration(
            certificateAuthorities: .file(servers.certificateAuthority), minimumTLSVersion: .tls13)
        #expect(try await status(configuration, at: servers.nginxTLS) == 200)
    }

    // MARK: Authorities

    @Test func authoritiesAreTakenAsPEM() async throws {
        let authority = try Data(contentsOf: servers.certificateAuthority)
        let other = try Data(contentsOf: servers.trustCertificates.appendingPathComponent("root.pem"))
        let configuration = TransportConfiguration(certificateAuthorities: .certificates([other, authority]))
        #expect(try await status(configuration, at: servers.nginxTLS) == 200)
    }

    @Test func authoritiesAreTakenAsDER() async throws {
        let text = try String(contentsOf: servers.certificateAuthority, encoding: .utf8)
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("-----") }
        let authority = try #require(Data(base64Encoded: lines.joined()))
        let configuration = TransportConfiguration(certificateAuthorities: .certificates([authority]))
        #expect(try await status(configuration, at: servers.nginxTLS) == 200)
    }

    @Test func otherServersAreNotTrusted() async throws {
        let other = try Data(contentsOf: servers.trustCertificates.appendingPathComponent("root.pem"))
        let failure = try await failure(
            TransportConfiguration(certificateAuthorities: .certificates([other])), at: servers.nginxTLS)
        #expect(failure.kind == .tls(.untrusted))
        #expect(failure.trustRefusal?.reason == .unknownIssuer)
    }

    @Test func malformedAuthorityIsReported() async throws {
        let failure = try await failure(
            TransportConfiguration(certificateAuthorities: .certificates([Data("garbage".utf8)])), at: servers.nginxTLS)
        #expect(failure.kind == .tls(.certificateAuthorities))
        #expect(failure.message.contains("element 0"))
    }
}
