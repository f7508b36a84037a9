public import Foundation

/// The reason that the platform does not trust a server: a code for programs, and the platform's own message.
public struct TrustRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// A problem with a server's certificates.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// A certificate's validity period is over.
        case expired
        /// A certificate's validity period has not begun.
        case notYetValid
        /// The certificate is not valid for the host.
        case wrongHost
        /// The certificate's issuer is not trusted, or an intermediate certificate is missing.
        case unknownIssuer
        /// The certificate is signed only by itself.
        case selfSigned
        /// A certificate was revoked.
        case revoked
        /// The revocation status of a certificate is required but unknown.
        case revocationUnknown
        /// A signature is wrong.
        case invalidSignature
        /// A key is too short, or a signature's algorithm too old.
        case weakCryptography
        /// A certificate is not valid for its use: for servers, or for issuing certificates.
        case wrongPurpose
        /// Any other problem, described by the message.
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

extension TrustRefusal: LocalizedError {
    /// The message.
    public var errorDescription: String? { message.asSentence }
}

extension TransportFailure {
    /// The platform's reason for refusing the server's certificates, directly or through a policy.
    public var trustRefusal: TrustRefusal? {
        cause as? TrustRefusal ?? (cause as? TransportFailure)?.trustRefusal
    }
}
