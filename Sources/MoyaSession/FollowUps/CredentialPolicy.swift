/// The rules for the credentials that the requests of a session carry.
public struct CredentialPolicy: Sendable, Hashable {
    /// The names of header fields that hold credentials, beside those that are known to.
    ///
    /// A redirect to another origin takes none of them along. Known are `Authorization`, `Cookie`, and any field with a
    /// word for a secret in its name, such as `token`, `secret`, `password`, `session`, `signature` or `key`:
    /// `X-Api-Key`, `X-Amz-Security-Token`, `PRIVATE-TOKEN`. Known as well is every field that an
    /// ``AuthenticationInterceptor`` sets.
    public var fields: Set<String>
    /// `true` if a request fails that would show a password by the Basic scheme (RFC 7617) to any reader of the
    /// network.
    ///
    /// It fails before any byte of it is sent, when its URL is `http` and its host is neither `localhost` nor an address of
    /// the machine itself. An `Authorization` field and the answer to a challenge count alike.
    public var refusesBasicWithoutTLS: Bool

    /// Makes rules: no further names, and Basic everywhere.
    public init(fields: Set<String> = [], refusesBasicWithoutTLS: Bool = false) {
        self.fields = fields
        self.refusesBasicWithoutTLS = refusesBasicWithoutTLS
    }
}
