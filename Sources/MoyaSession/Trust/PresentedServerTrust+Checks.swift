import Foundation
public import MoyaTransport

extension PresentedServerTrust {
    /// Runs a check of the platform's.
    func pass(_ check: PlatformValidation) throws {
        if let refusal = refusal(of: check) { throw SessionError(refusal) }
    }

    /// Runs those of the platform's checks that were asked for: the chain's, then the name's.
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

    /// Why the server's certificates were refused, where it was the platform that did so, by itself or for an evaluator.
    public var trustRefusal: TrustRefusal? { transportFailure?.trustRefusal }
}
