/// The settings that hold for every exchange of one session.
///
/// A setting that the transport cannot honour makes every exchange fail with a ``TransportFailure`` that names it; see
/// ``Transport/configurationFailure``.
public struct TransportConfiguration: Sendable {
    /// How many connections may be open to one host at once, at least 1; `nil` for what the session's configuration
    /// says, or six.
    ///
    /// Requests beyond those wait, and are sent in the order in which they came; over HTTP/2 connections are shared.
    public var maximumConnectionsPerHost: Int?
    /// Whose certificates vouch for servers.
    public var certificateAuthorities: CertificateAuthorities
    /// Decides, after the handshake and before the first request byte, whether to talk to a server; `nil` leaves it to
    /// the platform.
    public var trustPolicy: (any TransportTrustPolicy)?
    /// Which HTTP versions may be used.
    public var httpVersions: HTTPVersions
    /// What is shown to a server that asks for a client certificate; never to a proxy.
    public var clientIdentity: ClientIdentity?
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
        minimumTLSVersion: TLSVersion = .tls12,
        proxy: ProxySetting = .environment
    ) {
        self.maximumConnectionsPerHost = maximumConnectionsPerHost
        self.certificateAuthorities = certificateAuthorities
        self.trustPolicy = trustPolicy
        self.httpVersions = httpVersions
        self.clientIdentity = clientIdentity
        self.minimumTLSVersion = minimumTLSVersion
        self.proxy = proxy
    }
}
