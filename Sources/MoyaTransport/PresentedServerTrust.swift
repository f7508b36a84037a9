public import Foundation

/// The certificates that a server presented in the TLS handshake, and the platform's verdict.
public struct PresentedServerTrust: Sendable {
    /// The host that the request is for, as certificates name it.
    ///
    /// A name is in lower case and in ASCII (`xn--`), without the root's dot; an address is in its shortest form, IPv6
    /// without brackets.
    public let host: String
    /// The certificates in DER form, the server's own first.
    ///
    /// Each has signed the one before it: what a server merely sends along is not among them. On Linux a key or a signature
    /// that is too weak for the platform counts as none, and ends the chain.
    public let certificates: [Data]
    private let validation: @Sendable (PlatformValidation) -> TrustRefusal?
    private let revocation: @Sendable (RevocationCheck) -> TrustRefusal?

    /// Makes a value from what a wire has at hand.
    ///
    /// - Parameters:
    ///   - host: The host that was connected to.
    ///   - certificates: The certificates that the server presented, its own first, each in DER form.
    ///   - validation: Runs the platform's check and returns why it failed, or `nil` when it passed.
    ///   - revocation: Looks for revoked certificates and returns why there is one, or `nil`; a wire without it can show no
    ///     certificate to be good.
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

    /// Runs the platform's validation of the chain; returns why it failed, or `nil` when it passed.
    ///
    /// Valid only inside ``TransportTrustPolicy/evaluate(_:)``.
    public func refusal(of check: PlatformValidation) -> TrustRefusal? { validation(check) }

    /// Looks for revoked certificates in the chain; returns why the server is refused, or `nil` when it is not.
    ///
    /// Valid only inside ``TransportTrustPolicy/evaluate(_:)``.
    public func refusal(of check: RevocationCheck) -> TrustRefusal? { revocation(check) }

    /// Answers for a wire that has no means of checking.
    @Sendable
    public static func knowsNothingOfRevocation(_ check: RevocationCheck) -> TrustRefusal? {
        guard check.requiresPositiveResponse else { return nil }
        return TrustRefusal(
            .revocationUnknown, message: "this transport cannot tell whether a certificate was revoked")
    }
}

/// A check that the platform's TLS library runs on a certificate chain.
public struct PlatformValidation: Sendable, Hashable {
    /// `true` if the certificate's subject alternative names must match the host (RFC 9525 section 6).
    ///
    /// The common name matches nothing, and a wildcard stands for one whole label.
    public var matchesHost: Bool
    /// `true` if the chain must lead to an anchor, be in its validity period, be fit for a server, and have keys and
    /// signatures of the strength that the platform requires without a policy.
    public var validatesChain: Bool
    /// Certificates in DER form that alone count as anchors; `nil` for the session's certificate authorities.
    public var anchors: [Data]?

    /// Makes a check of both the chain and the host against the session's certificate authorities.
    public init(matchesHost: Bool = true, validatesChain: Bool = true, anchors: [Data]? = nil) {
        self.matchesHost = matchesHost
        self.validatesChain = validatesChain
        self.anchors = anchors
    }
}

/// A check whether the certificates of a chain were revoked; nothing is fetched from the network for it.
public struct RevocationCheck: Sendable, Hashable {
    /// `true` if the OCSP response that the server staples to its handshake is looked at (RFC 6066 section 8); it
    /// speaks for the server's own certificate.
    public var usesStapledResponse: Bool
    /// Revocation lists in DER form (RFC 5280 section 5); each speaks for the certificates of the authority that signed it.
    public var revocationLists: [Data]
    /// `true` if every certificate below the anchor must be shown to be good; otherwise an unknown status passes.
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
