/// A challenge that the transport answers itself, since it takes several exchanges or is tied to a connection.
///
/// A class, so that requests without authentication, the majority, carry only a null pointer.
public final class TransportAuthentication: Sendable {
    /// An authentication scheme.
    public enum Scheme: String, Sendable, Hashable, CaseIterable {
        /// Digest (RFC 7616), with MD5, SHA-256 or the `-sess` form of either, and `qop=auth` or none.
        ///
        /// A session uses it only if the first field line with a Digest challenge has such a challenge, and no other of
        /// another realm; `qop=auth-int` alone only without a body. Otherwise it answers the next scheme that the server
        /// offers.
        case digest = "Digest"
        /// NTLM version 2, on a connection without other exchanges.
        case ntlm = "NTLM"
        /// Negotiate (RFC 4559), on a connection without other exchanges.
        ///
        /// Kerberos uses the ticket cache of the process and ignores user and password.
        case negotiate = "Negotiate"
    }

    /// The only scheme that is answered.
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
    /// The reason that the user name or the password cannot be sent, or `nil`.
    package var problem: String? {
        CredentialText.problem(user: user, password: password, isBasic: false)
            .map { "authentication: \(scheme.rawValue): \($0)" }
    }
}

extension TransportAuthentication: MaskedDescription {
    /// Scheme and user, without the password.
    public var description: String { "\(scheme.rawValue) as \(user)" }
}
