/// Why the platform does not trust a server: a reason for programs, and the platform's own words.
public struct TrustRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong with a server's certificates.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// A certificate's validity period is over.
        case expired
        /// A certificate's validity period has not begun.
        case notYetValid
        /// The certificate is for other hosts.
        case wrongHost
        /// No certificate authority that is trusted vouches for the certificate, or one in between was not shown.
        case unknownIssuer
        /// The certificate vouches for itself alone.
        case selfSigned
        /// A certificate was revoked.
        case revoked
        /// Nothing tells whether a certificate was revoked, and that is required.
        case revocationUnknown
        /// A signature is wrong.
        case invalidSignature
        /// A key is too short, or a signature's algorithm too old.
        case weakCryptography
        /// A certificate is not for this use: not for servers, or not for vouching for others.
        case wrongPurpose
        /// Anything else; the message says what.
        case other
    }

    /// What is wrong.
    public var reason: Reason
    /// What the platform says about it, for people.
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
    /// Why the server's certificates were refused, where it was the platform that did so, by itself or for a policy.
    public var trustRefusal: TrustRefusal? {
        cause as? TrustRefusal ?? (cause as? TransportFailure)?.trustRefusal
    }
}
