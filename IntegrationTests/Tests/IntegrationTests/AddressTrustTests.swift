import Foundation
import Moya
import MoyaSession
import Testing

/// Servers that are named by an address, and certificates with the address among their subject alternative names.
@Suite(.serialized, .needsServers, .timeLimit(.minutes(5)))
struct AddressTrustTests {
    let servers: Servers

    init() throws { servers = try #require(Servers.running) }

    enum Judge: String, CaseIterable, Sendable {
        case platform, system, pinnedCertificates, publicKeys, revocationChecking, composite

        func evaluator(pinning certificate: Data) -> (any ServerTrustEvaluating)? {
            switch self {
            case .platform: nil
            case .system: .default
            case .pinnedCertificates: .pinnedCertificates(certificates: [certificate])
            case .publicKeys: .publicKeys(keys: [certificate])
            case .revocationChecking: .revocationChecking
            case .composite:
                .composite(evaluators: [.default, .pinnedCertificates(certificates: [certificate])])
            }
        }
    }

    private func outcome(
        at host: String, key: String, judgedBy judge: Judge, certificate: String
    ) async throws -> AFDataResponse<Data?> {
        let server = try await StreamServer(of: servers, certificate: certificate)
        let directory = servers.certificateAuthority.deletingLastPathComponent()
        let own = try Data(contentsOf: directory.appendingPathComponent("\(certificate).pem"))
        let session = Session(
            startRequestsImmediately: false,
            serverTrustManager: judge.evaluator(pinning: own).map { ServerTrustManager(evaluators: [key: $0]) },
            transportConfiguration: TransportConfiguration(
                certificateAuthorities: .file(servers.certificateAuthority)))
        return await session.request(try server.url(at: host)).timeouts(Deadlines(total: .seconds(20))).outcome()
    }

    @Test(
        arguments: Judge.allCases,
        [
            ("127.0.0.1", "127.0.0.1"), ("127.0.0.1", "127.1"), ("127.1", "127.0.0.1"), ("0x7f000001", "127.0.0.1"),
            ("[::1]", "::1"), ("[::1]", "[0:0:0:0:0:0:0:1]"), ("[0:0:0:0:0:0:0:1]", "::1"), ("[0000::0001]", "[::1]"),
        ])
    func areTrustedInAnySpelling(judge: Judge, names: (host: String, key: String)) async throws {
        let outcome = try await outcome(at: names.host, key: names.key, judgedBy: judge, certificate: "server")
        #expect(outcome.data == Data("whole".utf8), "\(outcome.error as Any)")
    }

    @Test(arguments: Judge.allCases, ["127.0.0.1", "[::1]"])
    func areRefusedWithTheCertificateOfAnother(judge: Judge, host: String) async throws {
        let outcome = try await outcome(at: host, key: host, judgedBy: judge, certificate: "wrong-name")
        #expect(outcome.error?.trustRefusal?.reason == .wrongHost, "\(outcome.error as Any)")
    }
}
