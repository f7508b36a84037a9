import Foundation
import MoyaSession
import MoyaTesting
import MoyaTransport
import Testing

@Suite struct RevocationTrustEvaluatorTests {
    /// The check that the evaluator requests from the platform.
    private func check(_ options: RevocationTrustEvaluator.Options, lists: [Data] = []) throws -> RevocationCheck {
        let asked = AskedChecks()
        let trust = PresentedServerTrust.scripted(revocation: asked.record)
        #expect(try refusal(.revocationChecking(options: options, revocationLists: lists), trust) == nil)
        return try #require(asked.checks.first)
    }

    @Test func byDefaultBothSourcesApplyAndNoAnswerPasses() throws {
        #expect(try check(.any) == RevocationCheck())
    }

    @Test func optionsHaveTheBitsOfSecurity() {
        typealias Options = RevocationTrustEvaluator.Options
        let bits = [Options.ocsp, .crl, .any, .preferCRL, .requirePositiveResponse, .networkAccessDisabled].map(
            \.rawValue)
        #expect(bits == [1, 2, 3, 4, 8, 16])
    }

    @Test func aSourceThatIsNotNamedDoesNotCount() throws {
        let list = try #require(CertificateForm.revocationLists(in: SampleCertificates.revocationList)?.first)
        let lists = [SampleCertificates.revocationList]
        #expect(try check(.ocsp, lists: lists) == RevocationCheck())
        #expect(
            try check(.crl, lists: lists) == RevocationCheck(usesStapledResponse: false, revocationLists: [list]))
    }

    @Test func bothSourcesCountByDefault() throws {
        let list = try #require(CertificateForm.revocationLists(in: SampleCertificates.revocationList)?.first)
        #expect(
            try check([.requirePositiveResponse, .preferCRL], lists: [SampleCertificates.revocationList])
                == RevocationCheck(revocationLists: [list], requiresPositiveResponse: true))
    }

    @Test func theErrorHasThePlatformsReason() throws {
        let trust = PresentedServerTrust.scripted(revocation: { _ in TrustRefusal(.revoked, message: "revoked") })
        #expect(try refusal(.revocationChecking, trust)?.platformReason == .revoked)
    }

    @Test func withoutRevocationChecksOnlyOptionalOnesPass() throws {
        let trust = PresentedServerTrust(host: "sample.test", certificates: [], validation: { _ in nil })
        #expect(try refusal(.revocationChecking, trust) == nil)
        #expect(
            try refusal(.revocationChecking(options: .requirePositiveResponse), trust)?.platformReason
                == .revocationUnknown)
    }

    @Test func malformedListIsNamedByItsIndex() throws {
        let evaluator = RevocationTrustEvaluator(
            revocationLists: [SampleCertificates.revocationList, SampleCertificates.leaf])
        #expect(try refusal(evaluator)?.setting == "revocationLists[1]")
    }

    @Test func checksTheChainAndTheNameFirstByDefault() throws {
        let expired = PresentedServerTrust.scripted(chain: TrustRefusal(.expired, message: "expired"))
        let other = PresentedServerTrust.scripted(host: TrustRefusal(.wrongHost, message: "another host"))
        #expect(try refusal(.revocationChecking, expired)?.platformReason == .expired)
        #expect(try refusal(.revocationChecking(performDefaultValidation: false), expired) == nil)
        #expect(try refusal(.revocationChecking, other)?.platformReason == .wrongHost)
        #expect(try refusal(.revocationChecking(validateHost: false), other) == nil)
    }
}

/// The checks that an evaluator has requested.
private final class AskedChecks: Sendable {
    private let asked = Lock<[RevocationCheck]>([])

    var checks: [RevocationCheck] { asked.withLock { $0 } }

    @Sendable
    func record(_ check: RevocationCheck) -> TrustRefusal? {
        asked.withLock { $0.append(check) }
        return nil
    }
}
