import Foundation
public import MoyaTransport

extension PresentedServerTrust {
    /// Runs a platform check.
    func pass(_ check: PlatformValidation) throws {
        if let refusal = refusal(of: check) { throw SessionError(refusal) }
    }

    /// Runs the requested platform checks: that of the chain, then that of the name.
    func pass(validatingChain: Bool, anchors: [Data]?, validatingHost: Bool) throws {
        if validatingChain {
            try pass(PlatformValidation(matchesHost: false, validatesChain: true, anchors: anchors))
        }
        if validatingHost { try pass(PlatformValidation(matchesHost: true, validatesChain: false)) }
    }
}

extension SessionError {
    /// Makes the error for a server that the platform refused.
    init(_ refusal: TrustRefusal) {
        self = .serverTrustEvaluationFailed(
            reason: .trustEvaluationFailed(
                error: TransportFailure(.tls(.untrusted), message: refusal.message, cause: refusal)))
    }

    /// The platform's reason for refusing the server's certificates, directly or through an evaluator.
    public var trustRefusal: TrustRefusal? { transportFailure?.trustRefusal }
}
