import Foundation
public import MoyaTransport

extension PresentedServerTrust {
    /// Runs a check of the platform's.
    func pass(_ check: PlatformValidation) throws {
        if let refusal = refusal(of: check) { throw SessionError(refusal) }
    }

    /// Runs the requested checks of the platform: the chain's, then the name's.
    func pass(validatingChain: Bool, anchors: [Data]?, validatingHost: Bool) throws {
        if validatingChain {
            try pass(PlatformValidation(matchesHost: false, validatesChain: true, anchors: anchors))
        }
        if validatingHost { try pass(PlatformValidation(matchesHost: true, validatesChain: false)) }
    }
}

extension SessionError {
    /// Makes the error of a server that the platform refused.
    init(_ refusal: TrustRefusal) {
        self = .serverTrustEvaluationFailed(
            reason: .trustEvaluationFailed(
                error: TransportFailure(.tls(.untrusted), message: refusal.message, cause: refusal)))
    }

    /// The reason that the platform refused the server's certificates, by itself or for an evaluator.
    public var trustRefusal: TrustRefusal? { transportFailure?.trustRefusal }
}
