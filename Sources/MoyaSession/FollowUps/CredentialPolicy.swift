/// The rules for the credentials in the requests of a session.
public struct CredentialPolicy: Sendable, Hashable {
    /// The names of additional header fields with credentials.
    ///
    /// They are dropped on a redirect to another origin. Known fields are `Authorization`, `Cookie`, and any field with
    /// a word for a secret in its name, such as `token`, `secret`, `password`, `session`, `signature` or `key`:
    /// `X-Api-Key`, `X-Amz-Security-Token`, `PRIVATE-TOKEN`. Every field that an ``AuthenticationInterceptor`` sets is
    /// also known.
    public var fields: Set<String>
    /// `true` to refuse requests that would send a password by the Basic scheme (RFC 7617) in the clear.
    ///
    /// Such a request fails before any byte is sent, if its URL is `http` and its host is neither `localhost` nor a
    /// loopback address, if `resolveOverrides` leads the host to another machine at any port, or if a proxy on another
    /// machine may carry it; a `transport:` of the session counts as one without either. A request through a Unix domain
    /// socket is sent. This applies to an `Authorization` field and to the answer to a challenge.
    public var refusesBasicWithoutTLS: Bool

    /// Makes rules, by default without additional names and with Basic everywhere.
    public init(fields: Set<String> = [], refusesBasicWithoutTLS: Bool = false) {
        self.fields = fields
        self.refusesBasicWithoutTLS = refusesBasicWithoutTLS
    }
}
