public import Foundation

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
    /// Unix domain sockets through which origins are reached, one for each; empty, the default, for none.
    public var unixSockets: [UnixSocket]
    /// Addresses that names stand for, in place of the DNS, one for each name and port; not together with a proxy, which
    /// resolves names itself.
    public var resolveOverrides: [ResolveOverride]
    /// The local address or network interface that connections are made from; `nil`, the default, leaves it to the system.
    public var localEndpoint: LocalEndpoint?
    /// Addresses of the DNS servers to ask, each with a port where it is not 53: `192.0.2.53`, `[2001:db8::53]:5353`; empty,
    /// the default, for the system's.
    ///
    /// Needs a libcurl that was built with c-ares, which Debian's and Ubuntu's are not.
    public var dnsServers: [String]
    /// Time for which a server is tried by IPv6 alone before IPv4 is tried beside it (RFC 8305 section 5); `nil`, the
    /// default, for the wire's own, which is 200 ms.
    ///
    /// In whole milliseconds, rounded up; less than zero is zero, more than 24 days is 24 days.
    public var happyEyeballsDelay: Duration?
    /// File to which the keys of TLS connections are appended in the format of `SSLKEYLOGFILE`, for Wireshark; `nil`, the
    /// default, for none.
    ///
    /// In debug builds only: in a release build a file ends every exchange with an error. Who has the file can read the
    /// traffic; it is made for its owner alone (0600). The environment variable `SSLKEYLOGFILE` by itself has no effect.
    public var tlsKeyLogFile: URL?

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
        proxy: ProxySetting = .environment,
        unixSockets: [UnixSocket] = [],
        resolveOverrides: [ResolveOverride] = [],
        localEndpoint: LocalEndpoint? = nil,
        dnsServers: [String] = [],
        happyEyeballsDelay: Duration? = nil,
        tlsKeyLogFile: URL? = nil
    ) {
        self.maximumConnectionsPerHost = maximumConnectionsPerHost
        self.certificateAuthorities = certificateAuthorities
        self.trustPolicy = trustPolicy
        self.httpVersions = httpVersions
        self.clientIdentity = clientIdentity
        self.clientIdentityOrigins = clientIdentityOrigins
        self.minimumTLSVersion = minimumTLSVersion
        self.proxy = proxy
        self.unixSockets = unixSockets
        self.resolveOverrides = resolveOverrides
        self.localEndpoint = localEndpoint
        self.dnsServers = dnsServers
        self.happyEyeballsDelay = happyEyeballsDelay
        self.tlsKeyLogFile = tlsKeyLogFile
    }
}
