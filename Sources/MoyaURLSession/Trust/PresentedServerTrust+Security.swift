#if canImport(Darwin)
import Foundation
import MoyaTransport
import Security

extension PresentedServerTrust {
    /// Wraps the chain that a server presented, evaluated by `Security`.
    ///
    /// - Parameter anchors: The trusted root certificates, unless a check has its own; `nil` for the system's.
    init(_ trust: SecTrust, host: String, anchors: [SecCertificate]?) {
        // The chain is built by an evaluation, which could request missing certificates.
        SecTrustSetNetworkFetchAllowed(trust, false)
        // With the session's anchors, so that the chain has a root that only they contain.
        if let anchors {
            SecTrustSetAnchorCertificates(trust, anchors as CFArray)
            SecTrustSetAnchorCertificatesOnly(trust, true)
        }
        let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate] ?? []
        // Used only while the policy evaluates, on this thread, as the closures' contract requires.
        nonisolated(unsafe) let presented = trust
        nonisolated(unsafe) let shown = chain
        nonisolated(unsafe) let authorities = anchors
        nonisolated(unsafe) let accepted = AcceptedAnchors(certificates: anchors)
        self.init(
            host: host, certificates: chain.map { SecCertificateCopyData($0) as Data },
            validation: { Self.refusal(of: $0, presented, shown, host: host, authorities, accepted) },
            revocation: { Self.refusal(of: $0, presented, accepted.certificates) })
    }

    private static func refusal(
        of check: PlatformValidation, _ trust: SecTrust, _ chain: [SecCertificate], host: String,
        _ anchors: [SecCertificate]?, _ accepted: AcceptedAnchors
    ) -> TrustRefusal? {
        guard check.validatesChain else { return check.matchesHost ? nameRefusal(chain, host: host) : nil }
        var wanted = anchors
        if let own = check.anchors {
            let read = own.compactMap { SecCertificateCreateWithData(nil, $0 as CFData) }
            guard read.count == own.count else {
                return TrustRefusal(.unknownIssuer, message: "an anchor of the check is not a certificate")
            }
            wanted = read
        }
        let policy = SecPolicyCreateSSL(true, check.matchesHost ? host as CFString : nil)
        let refusal = evaluate(trust, [policy], anchors: wanted)
        if refusal == nil { accepted.certificates = wanted }
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

    private static func refusal(
        of check: RevocationCheck, _ trust: SecTrust, _ anchors: [SecCertificate]?
    ) -> TrustRefusal? {
        guard check.revocationLists.isEmpty else {
            return TrustRefusal(.revocationUnknown, message: "the system takes no revocation lists of an app's own")
        }
        guard check.usesStapledResponse else { return knowsNothingOfRevocation(check) }
        var flags = CFOptionFlags(kSecRevocationUseAnyAvailableMethod)
        flags |= CFOptionFlags(kSecRevocationNetworkAccessDisabled)
        if check.requiresPositiveResponse { flags |= CFOptionFlags(kSecRevocationRequirePositiveResponse) }
        guard let revocation = SecPolicyCreateRevocation(flags) else { return knowsNothingOfRevocation(check) }
        return evaluate(trust, [SecPolicyCreateBasicX509(), revocation], anchors: anchors)
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

/// The anchors of the last validation that passed: a check of revocation trusts them as well.
private final class AcceptedAnchors {
    var certificates: [SecCertificate]?

    init(certificates: [SecCertificate]?) { self.certificates = certificates }
}

extension TrustRefusal {
    /// Classifies an error of `Security`.
    init(_ error: CFError) {
        let reason = Reason(securityStatus: CFErrorGetCode(error))
        self.init(reason, message: CFErrorCopyDescription(error) as String? ?? "the server is not trusted")
    }
}
#endif
