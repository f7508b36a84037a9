public import Foundation

/// The certificates that a server presented in the TLS handshake, and the platform's verdict.
public struct PresentedServerTrust: Sendable {
    /// The host of the request, as certificates name it.
    ///
    /// A name is in lower case and in ASCII (`xn--`), without the trailing dot. An address is in its shortest form,
    /// IPv6 without brackets.
    public let host: String
    /// The certificates in DER form, the server's own first.
    ///
    /// Each has signed the previous one: unrelated certificates that the server sends are omitted. On Linux, a key or a
    /// signature that is too weak for the platform ends the chain.
    public let certificates: [Data]
    private let validation: @Sendable (PlatformValidation) -> TrustRefusal?
    private let revocation: @Sendable (RevocationCheck) -> TrustRefusal?

    /// Makes a value from the data that a transport has.
    ///
    /// - Parameters:
    ///   - host: The host that was connected to.
    ///   - certificates: The certificates that the server presented, its own first, each in DER form.
    ///   - validation: Runs the platform's check and returns the reason for a failure, or `nil`.
    ///   - revocation: Checks for revoked certificates and returns the reason for a refusal, or `nil`; without it no
    ///     certificate can be proved good.
    public init(
        host: String,
        certificates: [Data],
        validation: @escaping @Sendable (PlatformValidation) -> TrustRefusal?,
        revocation: @escaping @Sendable (RevocationCheck) -> TrustRefusal? = Self.knowsNothingOfRevocation
    ) {
        self.host = host
        self.certificates = certificates
        self.validation = validation
        self.revocation = revocation
    }

    /// The public keys of the certificates, each as a SubjectPublicKeyInfo in DER form (RFC 5280 section 4.1.2.7).
    public var publicKeys: [Data] { certificates.compactMap(CertificateForm.publicKey(ofCertificate:)) }

    /// Runs the platform's validation of the chain; returns the reason for a failure, or `nil`.
    ///
    /// Valid only inside ``TransportTrustPolicy/evaluate(_:)``; afterwards it refuses.
    public func refusal(of check: PlatformValidation) -> TrustRefusal? { validation(check) }

    /// Checks for revoked certificates in the chain; returns the reason for a refusal, or `nil`.
    ///
    /// On Linux this includes each chain to ``PlatformValidation/anchors`` that was validated before: an authority that
    /// the server does not send is known only from there. So validate first.
    ///
    /// Valid only inside ``TransportTrustPolicy/evaluate(_:)``; afterwards it refuses.
    public func refusal(of check: RevocationCheck) -> TrustRefusal? { revocation(check) }

    /// The result for a transport without revocation checks.
    @Sendable
    public static func knowsNothingOfRevocation(_ check: RevocationCheck) -> TrustRefusal? {
        guard check.requiresPositiveResponse else { return nil }
        return TrustRefusal(
            .revocationUnknown, message: "this transport cannot tell whether a certificate was revoked")
    }
}

/// A check that the platform's TLS library runs on a certificate chain.
public struct PlatformValidation: Sendable, Hashable {
    /// `true` if a subject alternative name of the certificate must match the host (RFC 9525 section 6).
    ///
    /// The common name is ignored, and a wildcard matches one whole label.
    public var matchesHost: Bool
    /// `true` if the chain must lead to an anchor, be within its validity period, be valid for a server, and have keys
    /// and signatures of the strength that the platform requires without a policy.
    public var validatesChain: Bool
    /// Certificates in DER form that are the only anchors; `nil` for the session's certificate authorities.
    public var anchors: [Data]?

    /// Makes a check of both the chain and the host against the session's certificate authorities.
    public init(matchesHost: Bool = true, validatesChain: Bool = true, anchors: [Data]? = nil) {
        self.matchesHost = matchesHost
        self.validatesChain = validatesChain
        self.anchors = anchors
    }
}

/// A check for revoked certificates in a chain; it fetches nothing from the network.
public struct RevocationCheck: Sendable, Hashable {
    /// `true` to use the OCSP response that the server staples to its handshake (RFC 6066 section 8), which covers the
    /// server's own certificate; on Apple platforms also the data that the system has.
    public var usesStapledResponse: Bool
    /// Revocation lists in DER form (RFC 5280 section 5); each covers the certificates of the authority that signed it.
    ///
    /// On Apple platforms, a check with lists refuses every server.
    public var revocationLists: [Data]
    /// `true` if every certificate below the anchor must be proved good; otherwise an unknown status passes.
    public var requiresPositiveResponse: Bool

    /// Makes a check.
    public init(
        usesStapledResponse: Bool = true, revocationLists: [Data] = [], requiresPositiveResponse: Bool = false
    ) {
        self.usesStapledResponse = usesStapledResponse
        self.revocationLists = revocationLists
        self.requiresPositiveResponse = requiresPositiveResponse
    }
}
