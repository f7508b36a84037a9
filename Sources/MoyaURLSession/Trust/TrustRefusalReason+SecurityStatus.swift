import MoyaTransport

extension TrustRefusal.Reason {
    /// Classifies a status of `Security`; `other` if it does not concern the certificates.
    ///
    /// The constants of these numbers are missing on some platforms; SecBase.h lists them.
    init(securityStatus status: Int) {
        self =
            switch status {
            case -67_818: .expired
            case -67_819: .notYetValid
            case -67_602: .wrongHost
            case -67_843, -25_318: .unknownIssuer
            case -67_820: .revoked
            case -67_635: .revocationUnknown
            case -67_609: .wrongPurpose
            default: .other
            }
    }
}
