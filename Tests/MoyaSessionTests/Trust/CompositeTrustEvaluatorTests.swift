import Foundation
import MoyaSession
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
}
