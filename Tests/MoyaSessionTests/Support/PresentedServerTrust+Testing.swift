import Foundation
import MoyaSession
import MoyaTesting
import MoyaTransport

extension PresentedServerTrust {
    /// The certificates of a server, with scripted results of the platform.
    static func scripted(
        _ certificates: [Data] = [SampleCertificates.leaf.der, SampleCertificates.root.der],
        chain: TrustRefusal? = nil,
        anchored: TrustRefusal? = nil,
        host: TrustRefusal? = nil,
        revocation: @escaping @Sendable (RevocationCheck) -> TrustRefusal? = { _ in nil }
    ) -> PresentedServerTrust {
        PresentedServerTrust(
            host: "sample.test", certificates: certificates,
            validation: { check in
                if check.validatesChain, let refusal = check.anchors == nil ? chain : anchored { return refusal }
                return check.matchesHost ? host : nil
            },
            revocation: revocation)
    }
}

extension Data {
    /// The first certificate of a PEM text.
    var der: Data { CertificateForm.certificates(in: self)?.first ?? Data() }
}

/// The evaluator's reason to refuse a server; `nil` when it accepts.
func refusal(
    _ evaluator: any ServerTrustEvaluating, _ trust: PresentedServerTrust = .scripted()
) throws -> SessionError.ServerTrustFailureReason? {
    do {
        try evaluator.evaluate(trust, forHost: trust.host)
        return nil
    } catch SessionError.serverTrustEvaluationFailed(let reason) {
        return reason
    }
}

extension SessionError.ServerTrustFailureReason {
    /// The platform's reason, where it was the platform that refused.
    var platformReason: TrustRefusal.Reason? {
        SessionError.serverTrustEvaluationFailed(reason: self).trustRefusal?.reason
    }

    /// The setting of the evaluator that is to blame, where one is.
    var setting: String? { if case .invalidEvaluator(let setting, _) = self { setting } else { nil } }
}
