#if canImport(Darwin)
import Foundation
import MoyaTransport
import Security

extension PresentedServerTrust {
    /// Runs an evaluation of the chain that a server presented, with the checks of `Security`; returns its result.
    ///
    /// - Parameter anchors: The trusted root certificates, unless a check has its own; `nil` for the system's.
    static func evaluating<Result>(
        _ trust: SecTrust, host: String, anchors: [SecCertificate]?,
        evaluation: (PresentedServerTrust) throws -> Result
    ) rethrows -> Result {
        // The chain is built by an evaluation, which could request missing certificates.
        SecTrustSetNetworkFetchAllowed(trust, false)
        // With the session's anchors, so that the chain has a root that only they contain.
        if let anchors {
            SecTrustSetAnchorCertificates(trust, anchors as CFArray)
            SecTrustSetAnchorCertificatesOnly(trust, true)
        }
        let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate] ?? []
        return try evaluating(
            PresentedChain(trust, certificates: chain, anchors: anchors), host: host,
            certificates: chain.map { SecCertificateCopyData($0) as Data },
            validation: { refusal(of: $0, $1, host: host) }, revocation: { refusal(of: $0, $1) },
            evaluation: evaluation)
    }

    private static func refusal(
        of check: PlatformValidation, _ chain: PresentedChain, host: String
    ) -> TrustRefusal? {
        guard check.validatesChain else {
            return check.matchesHost ? nameRefusal(chain.certificates, host: host) : nil
        }
        var wanted = chain.anchors
        if let own = check.anchors {
            let read = own.compactMap { SecCertificateCreateWithData(nil, $0 as CFData) }
            guard read.count == own.count else {
                return TrustRefusal(.unknownIssuer, message: "an anchor of the check is not a certificate")
            }
            wanted = read
        }
        let policy = SecPolicyCreateSSL(true, check.matchesHost ? host as CFString : nil)
        let refusal = evaluate(chain.trust, [policy], anchors: wanted)
        if refusal == nil { chain.acceptedAnchors = wanted }
        return refusal
    }

    /// The reason that a certificate does not match a host: the certificate is evaluated alone, as its own anchor, so
    /// that only its own contents can fail.
    private static func nameRefusal(_ chain: [SecCertificate], host: String) -> TrustRefusal? {
        guard let own = chain.first else { return TrustRefusal(.other, message: "the server showed no certificate") }
        var alone: SecTrust?
        let policy = SecPolicyCreateSSL(true, host as CFString)
        let status = SecTrustCreateWithCertificates([own] as CFArray, policy, &alone)
        guard status == errSecSuccess, let alone else {
            return TrustRefusal(.other, message: "the certificate cannot be looked at (status \(status))")
        }
        return evaluate(alone, [policy], anchors: [own])
    }

    private static func refusal(of check: RevocationCheck, _ chain: PresentedChain) -> TrustRefusal? {
        guard check.revocationLists.isEmpty else {
            return TrustRefusal(.revocationUnknown, message: "the system takes no revocation lists of an app's own")
        }
        guard check.usesStapledResponse else { return knowsNothingOfRevocation(check) }
        var flags = CFOptionFlags(kSecRevocationUseAnyAvailableMethod)
        flags |= CFOptionFlags(kSecRevocationNetworkAccessDisabled)
        if check.requiresPositiveResponse { flags |= CFOptionFlags(kSecRevocationRequirePositiveResponse) }
        guard let revocation = SecPolicyCreateRevocation(flags) else { return knowsNothingOfRevocation(check) }
        return evaluate(chain.trust, [SecPolicyCreateBasicX509(), revocation], anchors: chain.acceptedAnchors)
    }

    private static func evaluate(
        _ trust: SecTrust, _ policies: [SecPolicy], anchors: [SecCertificate]?
    ) -> TrustRefusal? {
        SecTrustSetPolicies(trust, policies as CFArray)
        SecTrustSetAnchorCertificates(trust, anchors.map { $0 as CFArray })
        SecTrustSetAnchorCertificatesOnly(trust, anchors != nil)
        // The queue of all exchanges must not wait for the network.
        SecTrustSetNetworkFetchAllowed(trust, false)
        var error: CFError?
        guard !SecTrustEvaluateWithError(trust, &error) else { return nil }
        return error.map { TrustRefusal($0) } ?? TrustRefusal(.other, message: "the server is not trusted")
    }
}

/// The chain that a server presented, in `Security`'s form.
private final class PresentedChain {
    let trust: SecTrust
    /// The certificates, the server's own first.
    let certificates: [SecCertificate]
    /// The anchors of the session; `nil` for the system's.
    let anchors: [SecCertificate]?
    /// The anchors of the last validation that passed, at first the session's: a check of revocation trusts them.
    var acceptedAnchors: [SecCertificate]?

    init(_ trust: SecTrust, certificates: [SecCertificate], anchors: [SecCertificate]?) {
        self.trust = trust
        self.certificates = certificates
        self.anchors = anchors
        acceptedAnchors = anchors
    }
}

extension TrustRefusal {
    /// Classifies an error of `Security`.
    init(_ error: CFError) {
        let reason = Reason(securityStatus: CFErrorGetCode(error))
        self.init(reason, message: CFErrorCopyDescription(error) as String? ?? "the server is not trusted")
    }
}
#endif
