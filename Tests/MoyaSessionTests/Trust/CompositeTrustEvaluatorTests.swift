import Foundation
import MoyaSession
import MoyaTesting
import MoyaTransport
import Testing

@Suite struct CompositeTrustEvaluatorTests {
    private let foreign = PinnedCertificatesTrustEvaluator(certificates: [SampleCertificates.rsa])
    private let own = PinnedCertificatesTrustEvaluator(certificates: [SampleCertificates.leaf])

    @Test func acceptsWhenEveryEvaluatorAccepts() throws {
        #expect(try refusal(.composite(evaluators: [.default, own, DisabledTrustEvaluator()])) == nil)
    }

    @Test func theFirstRefusalIsTheReason() throws {
        let reason = try refusal(.composite(evaluators: [own, foreign, PublicKeysTrustEvaluator(keys: [])]))
        guard case .certificatePinningFailed? = reason else { throw Unexpected(reason) }
    }

    @Test func refusesWithoutEvaluators() throws {
        #expect(try refusal(.composite(evaluators: []))?.setting == "evaluators")
    }

    @Test func arrayOfEvaluatorsDecidesLikeAComposite() throws {
        let evaluators: [any ServerTrustEvaluating] = [own, foreign]
        let own: [any ServerTrustEvaluating] = [own]
        let trust = trustThatKnowsItsAuthorityOnceValidated()
        #expect(throws: SessionError.self) { try evaluators.evaluate(trust, forHost: trust.host) }
        #expect(throws: Never.self) { try own.evaluate(trust, forHost: trust.host) }
    }

    @Test func refusesWithANestedCompositeWithoutEvaluators() throws {
        let composite = CompositeTrustEvaluator(evaluators: [own, .composite(evaluators: [])])
        #expect(try refusal(composite)?.setting == "evaluators")
    }

    @Test func checksRevocationAfterAnchorsThatAreListedLater() throws {
        let composite = CompositeTrustEvaluator(evaluators: [revocation, anchored])
        #expect(try refusal(composite, trustThatKnowsItsAuthorityOnceValidated())?.platformReason == .revoked)
    }

    @Test func checksRevocationInANestedCompositeAfterAnchorsThatAreListedLater() throws {
        let composite = CompositeTrustEvaluator(evaluators: [.composite(evaluators: [revocation]), anchored])
        #expect(try refusal(composite, trustThatKnowsItsAuthorityOnceValidated())?.platformReason == .revoked)
    }

    private let revocation = RevocationTrustEvaluator(performDefaultValidation: false)
    private let anchored = PinnedCertificatesTrustEvaluator(
        certificates: [SampleCertificates.root], acceptSelfSignedCertificates: true)

    /// A revoked server whose authority only the anchors of an evaluator name.
    private func trustThatKnowsItsAuthorityOnceValidated() -> PresentedServerTrust {
        let isValidated = Lock(false)
        return PresentedServerTrust(
            host: "sample.test", certificates: [SampleCertificates.leaf.der],
            validation: { check in
                if check.anchors != nil { isValidated.withLock { $0 = true } }
                return nil
            },
            revocation: { _ in
                isValidated.withLock { $0 } ? TrustRefusal(.revoked, message: "revoked") : nil
            })
    }
}
