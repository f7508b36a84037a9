public import Foundation

/// The settings for every exchange of one session.
///
/// A setting that the transport cannot honour makes every exchange fail with a ``TransportFailure`` that names it; see
/// ``Transport/configurationFailure``.
public struct TransportConfiguration: Sendable {
    /// The maximum number of open connections per host; values below 1 count as 1, and `nil` uses the value of the
    /// session's configuration, or six.
    ///
    /// Further requests wait and are sent in order; over HTTP/2, requests share connections. Over libcurl, streamed
    /// responses over HTTP/2 use separate connections, at most as many again, so that a slow reader affects no other
    /// request.
    public var maximumConnectionsPerHost: Int?
    /// Trusted root certificates.
    public var certificateAuthorities: CertificateAuthorities
    /// Decides, after the handshake and before the first request byte, whether to trust a server; `nil` leaves the
    /// decision to the platform.
    public var trustPolicy: (any TransportTrustPolicy)?
    /// The allowed HTTP versions.
    public var httpVersions: HTTPVersions
    /// Client certificate for mutual TLS, sent only to a server that requests one, never to a proxy.
    public var clientIdentity: ClientIdentity?
    /// Servers that receive ``clientIdentity``, each as an `https` origin (RFC 6454 section 4):
    /// `https://api.example.com`, `https://api.example.com:8443`; `nil`, the default, for every server that requests
    /// one.
    ///
    /// A certificate identifies the client. With a list, a server that a redirect or a link leads to does not learn the
    /// identity. Hosts are names or addresses in any spelling, without wildcards. A text that is not such an origin,
    /// and an empty list, end every exchange with ``TransportFailure/TLSReason/clientCertificate`` and the text.
    public var clientIdentityOrigins: [String]?
    /// The minimum version of TLS, for servers and proxies.
    public var minimumTLSVersion: TLSVersion
    /// The choice of a proxy.
    public var proxy: ProxySetting
    /// Unix domain sockets, at most one per origin; empty by default.
    public var unixSockets: [UnixSocket]
    /// Addresses for names, instead of the DNS, at most one entry per name and port; not together with a proxy, which
    /// resolves names itself.
    public var resolveOverrides: [ResolveOverride]
    /// The local address or network interface of connections; `nil`, the default, leaves the choice to the system.
    public var localEndpoint: LocalEndpoint?
    /// Addresses of DNS servers, each with a port unless it is 53: `192.0.2.53`, `[2001:db8::53]:5353`; empty, the
    /// default, for the system's.
    ///
    /// Requires a libcurl built with c-ares, unlike Debian's and Ubuntu's.
    public var dnsServers: [String]
    /// Time for which only IPv6 is tried before IPv4 is tried as well (RFC 8305 section 5); `nil`, the default, for the
    /// transport's own default of 200 ms.
    ///
    /// In whole milliseconds, rounded up; negative values count as zero, and more than 24 days as 24 days.
    public var happyEyeballsDelay: Duration?
    /// File to which TLS keys are appended in the format of `SSLKEYLOGFILE`, for Wireshark; `nil`, the default, for
    /// none.
    ///
    /// Only in debug builds: in a release build, a file ends every exchange with an error. The keys decrypt the
    /// traffic, so the file is readable only by its owner (0600), also if it existed before; a pipe, a device or another
    /// user's file is refused. The environment variable `SSLKEYLOGFILE` alone has no effect.
    public var tlsKeyLogFile: URL?
    /// The number of threads for the session's exchanges over libcurl; less than 1 is 1, more than 64 is 64.
    ///
    /// One thread can use one core. With several threads, an exchange goes to the one with the fewest exchanges, of those
    /// that have a connection to the host left, or else one without a streamed response on it. The threads share
    /// ``maximumConnectionsPerHost`` evenly, so there are never more threads than connections, and each sends its
    /// exchanges in their order of arrival. All sessions of a process use the same threads. URLSession manages its own
    /// threads and ignores this setting.
    public var loops: Int

    /// Makes settings, by default with the system's certificate authorities, HTTP/2 if the server offers it, TLS 1.2 or
    /// newer, and the environment's proxies.
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
        tlsKeyLogFile: URL? = nil,
        loops: Int = 1
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
        self.loops = loops
    }
}
