#if canImport(Darwin)
import Foundation
import MoyaTesting
import MoyaTransport
import Security
import Testing

@testable import MoyaURLSession

@Suite struct ServerTrustSettingsTests {
    private struct KeepingPolicy: TransportTrustPolicy {
        let keep: @Sendable (PresentedServerTrust) throws -> Void

        func evaluate(_ server: PresentedServerTrust) throws { try keep(server) }
    }

    private struct Refused: Error {}

    private func trust() throws -> SecTrust {
        let contents = CertificateForm.certificates(in: SampleCertificates.leaf) ?? []
        let certificates = contents.compactMap { SecCertificateCreateWithData(nil, $0 as CFData) }
        var trust: SecTrust?
        SecTrustCreateWithCertificates(certificates as CFArray, SecPolicyCreateBasicX509(), &trust)
        return try #require(trust)
    }

    @Test(arguments: [true, false]) func aServerThatIsKeptRefusesAfterItsEvaluation(isAccepted: Bool) throws {
        let kept = Lock<PresentedServerTrust?>(nil)
        let policy = KeepingPolicy { server in
            kept.set(server)
            if !isAccepted { throw Refused() }
        }
        let failure = ServerTrustSettings(policy: policy).refusal(of: try trust(), host: "sample.test")
        #expect((failure == nil) == isAccepted)
        let server = try #require(kept.withLock { $0 })
        #expect(server.host == "sample.test")
        #expect(server.refusal(of: PlatformValidation())?.message.contains("after its evaluation") == true)
        #expect(server.refusal(of: RevocationCheck())?.message.contains("after its evaluation") == true)
    }

    @Test func withoutAPolicyTheSystemDecides() throws {
        let failure = try #require(ServerTrustSettings(policy: nil).refusal(of: try trust(), host: "sample.test"))
        #expect(failure.kind == .tls(.untrusted))
    }
}
#endif
