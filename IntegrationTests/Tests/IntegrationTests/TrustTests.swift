import Foundation
import Moya
import MoyaSession
import Testing

/// Whom a session talks to over TLS.
@Suite(.needsServers)
struct TrustTests {
    let servers: Servers

    init() throws { servers = try #require(Servers.running) }

    @Test func anUnknownAuthorityIsRefused() async throws {
        let mark = uniqueMark()
        let provider = MoyaProvider<Call>()
        let call = Call.get(servers.nginxTLS, "/static/small.json", query: ["m": mark])
        let error = await #expect(throws: MoyaError.self) { try await provider.request(call) }
        guard case .underlying(_, nil)? = error else { throw try #require(error) }
        // No byte of the request may have reached the server: the log shows the later request, and not this one.
        let later = uniqueMark()
        _ = try await provider.request(.get(servers.nginx, "/static/small.json", query: ["m": later]))
        #expect(try await servers.accessLog.entries(marked: later, count: 1).count == 1)
        #expect(try await servers.accessLog.entries(marked: mark, count: 0).isEmpty)
    }

    @Test func theErrorNamesTheCertificate() async throws {
        let provider = MoyaProvider<Call>()
        let error = await #expect(throws: MoyaError.self) {
            try await provider.request(.get(servers.nginxTLS, "/static/small.json"))
        }
        let description = try #require(error).localizedDescription.lowercased()
        #expect(description.contains("certificate") || description.contains("trust"), "\(description)")
    }

    @Test func anotherHostsCertificateIsRefused() async throws {
        let provider = MoyaProvider<Call>(session: .trusting(servers))
        await #expect(throws: MoyaError.self) {
            try await provider.request(.get(servers.nginxWrongName, "/static/small.json"))
        }
    }

    @Test func anAddressInTheCertificateIsAccepted() async throws {
        let port = try #require(servers.nginxTLS.port)
        let byAddress = try #require(URL(string: "https://127.0.0.1:\(port)"))
        let provider = MoyaProvider<Call>(session: .trusting(servers))
        #expect(try await provider.request(.get(byAddress, "/static/small.json")).statusCode == 200)
    }

    @Test func trustInOneSessionIsNotTrustInAnother() async throws {
        let call = Call.get(servers.nginxTLS, "/static/small.json")
        let trusting = MoyaProvider<Call>(session: .trusting(servers))
        #expect(try await trusting.request(call).statusCode == 200)
        await #expect(throws: MoyaError.self) { try await MoyaProvider<Call>().request(call) }
    }

    /// One handle carries all of these: without TLS it has no authorities, and gets them back.
    @Test func callsWithoutTLSTakeNoTrustAway() async throws {
        let provider = MoyaProvider<Call>(session: .trusting(servers))
        for base in [servers.nginx, servers.nginxTLS, servers.nginx, servers.nginxTLS] {
            #expect(try await provider.request(.get(base, "/static/small.json")).statusCode == 200)
        }
        await #expect(throws: MoyaError.self) {
            try await provider.request(.get(servers.nginxWrongName, "/static/small.json"))
        }
    }

    @Test func aMissingAuthorityFileIsAnError() async throws {
        let missing = TransportConfiguration(
            certificateAuthorities: .file(URL(fileURLWithPath: "/nowhere/authority.pem")))
        let provider = MoyaProvider<Call>(session: .with(missing))
        await #expect(throws: MoyaError.self) {
            try await provider.request(.get(servers.nginxTLS, "/static/small.json"))
        }
    }
}
