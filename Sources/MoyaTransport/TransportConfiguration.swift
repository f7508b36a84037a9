/// The settings that hold for every exchange of one session.
///
/// A setting that the transport cannot honour makes every exchange fail with a ``TransportFailure`` that names it; see
/// ``Transport/configurationFailure``.
public struct TransportConfiguration: Sendable {
    /// The greatest number of open connections to one host, less than 1 is 1; `nil` for the value of the session's
    /// configuration, or six.
    ///
    /// Requests beyond those wait, and are sent in the order in which they came; over HTTP/2 connections are shared.
    public var maximumConnectionsPerHost: Int?
    /// Trusted root certificates.
    public var certificateAuthorities: CertificateAuthorities
    /// Decides, after the handshake and before the first request byte, whether to talk to a server; `nil` leaves it to
    /// the platform.
    public var trustPolicy: (any TransportTrustPolicy)?
    /// The allowed HTTP versions.
    public var httpVersions: HTTPVersions
    /// Client certificate for mutual TLS, shown to a server that requests one; never to a proxy.
    public var clientIdentity: ClientIdentity?
    /// Servers that ``clientIdentity`` is offered to, each as an origin (RFC 6454 section 4) of the scheme `https`:
    /// `https://api.example.com`, `https://api.example.com:8443`; `nil`, the default, for every server that requests
    /// one.
    ///
    /// A certificate identifies the client to a server. With a list, a server that a redirect or a link leads to does
    /// not learn that. Hosts are names or addresses in any spelling; there are no wildcards. A text that is no such
    /// origin, and a list of none, end every exchange with ``TransportFailure/TLSReason/clientCertificate`` and the
    /// text.
    public var clientIdentityOrigins: [String]?
    /// The oldest version of TLS that is spoken, with servers and proxies.
    public var minimumTLSVersion: TLSVersion
    /// Through which proxy, if any, servers are reached.
    public var proxy: ProxySetting

    /// Makes settings: the system's certificate authorities, HTTP/2 where the server has it, TLS 1.2 or newer, and the
    /// environment's proxies.
    public init(
        maximumConnectionsPerHost: Int? = nil,
        certificateAuthorities: CertificateAuthorities = .system,
        trustPolicy: (any TransportTrustPolicy)? = nil,
        httpVersions: HTTPVersions = .http2WhereOffered,
        clientIdentity: ClientIdentity? = nil,
        clientIdentityOrigins: [String]? = nil,
        minimumTLSVersion: TLSVersion = .tls12,
        proxy: ProxySetting = .environment
    ) {
        self.maximumConnectionsPerHost = maximumConnectionsPerHost
        self.certificateAuthorities = certificateAuthorities
        self.trustPolicy = trustPolicy
        self.httpVersions = httpVersions
        self.clientIdentity = clientIdentity
        self.clientIdentityOrigins = clientIdentityOrigins
        self.minimumTLSVersion = minimumTLSVersion
        self.proxy = proxy
    }
}
