/// The reason that the platform does not trust a server: a code for programs, and the platform's own words.
public struct TrustRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// A problem with a server's certificates.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// A certificate's validity period is over.
        case expired
        /// A certificate's validity period has not begun.
        case notYetValid
        /// The certificate is for other hosts.
        case wrongHost
        /// No trusted certificate authority has issued the certificate, or an intermediate one is missing.
        case unknownIssuer
        /// The certificate is signed by itself alone.
        case selfSigned
        /// A certificate was revoked.
        case revoked
        /// The revocation status of a certificate is unknown, and is required.
        case revocationUnknown
        /// A signature is wrong.
        case invalidSignature
        /// A key is too short, or a signature's algorithm too old.
        case weakCryptography
        /// A certificate is not for this use: not for servers, or not for issuing others.
        case wrongPurpose
        /// Anything else; the message says what.
        case other
    }

    /// The problem.
    public var reason: Reason
    /// The platform's human-readable message.
    public var message: String

    /// Makes a refusal.
    public init(_ reason: Reason, message: String) {
        self.reason = reason
        self.message = message
    }

    /// The message.
    public var description: String { message }
}

extension TransportFailure {
    /// The reason that the platform refused the server's certificates, by itself or for a policy.
    public var trustRefusal: TrustRefusal? {
        cause as? TrustRefusal ?? (cause as? TransportFailure)?.trustRefusal
    }
}
