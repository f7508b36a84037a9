/// A challenge and response that the transport carries out, since it takes more than one exchange or is tied to a connection.
///
/// An object, so that a request without one, which most are, carries no more than an empty pointer.
public final class TransportAuthentication: Sendable {
    /// An authentication scheme.
    public enum Scheme: String, Sendable, Hashable, CaseIterable {
        /// Digest (RFC 7616), with MD5 or SHA-256.
        case digest = "Digest"
        /// NTLM version 2, on a connection that no other exchange uses.
        case ntlm = "NTLM"
        /// Negotiate (RFC 4559), on a connection that no other exchange uses.
        ///
        /// Kerberos takes the credential of the process's own ticket cache; user and password are not looked at.
        case negotiate = "Negotiate"
    }

    /// The scheme, and no other: a server that does not offer it is not answered.
    public let scheme: Scheme
    /// The user; for NTLM possibly as `DOMAIN\user`.
    public let user: String
    /// The password.
    public let password: String

    /// Makes an authentication.
    public init(scheme: Scheme, user: String, password: String) {
        self.scheme = scheme
        self.user = user
        self.password = password
    }
}

extension TransportAuthentication {
    /// The reason that the user name or the password cannot be sent; `nil` when they can.
    package var problem: String? {
        CredentialText.problem(user: user, password: password, isBasic: false)
            .map { "authentication: \(scheme.rawValue): \($0)" }
    }
}

extension TransportAuthentication: MaskedDescription {
    /// Scheme and user; not the password.
    public var description: String { "\(scheme.rawValue) as \(user)" }
}
