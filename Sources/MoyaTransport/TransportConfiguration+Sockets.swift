extension TransportConfiguration {
    /// A Unix domain socket that leads to the server of one origin.
    ///
    /// ```swift
    /// TransportConfiguration(unixSockets: [.init(path: "/run/docker.sock", origin: "http://localhost")])
    /// ```
    ///
    /// The URL still determines the `Host` field and, with `https`, the name on the certificate. Requests to every
    /// other origin, including the target of a redirect, go over the network and never through the socket. A redirect
    /// from another origin to this one is an error. Requests through the socket bypass every proxy,
    /// and each makes a new connection, except with `.http2PriorKnowledge` and libcurl 8.14 to 8.21.
    public struct UnixSocket: Sendable, Hashable {
        /// The path of the socket, 1 to 107 bytes.
        public var path: String
        /// The origin (RFC 6454 section 4) that the socket serves: `http://localhost`, `https://api.example.com:8443`.
        public var origin: String

        /// Makes the setting; the path and the origin are checked when the session is made, the socket at each
        /// connection.
        public init(path: String, origin: String) {
            self.path = path
            self.origin = origin
        }
    }

    /// Addresses to connect to for one host name and port, instead of those from the DNS.
    ///
    /// ```swift
    /// TransportConfiguration(resolveOverrides: [.init(host: "api.example.com", port: 443, addresses: ["10.0.0.7"])])
    /// ```
    ///
    /// The URL still determines the `Host` field and the name on the certificate.
    public struct ResolveOverride: Sendable, Hashable {
        /// The host name in URLs, in any spelling; not an address or a wildcard.
        public var host: String
        /// The port in URLs, 1 to 65535: 443 for an `https` URL without a port.
        public var port: Int
        /// One or more addresses, IPv4 or IPv6, tried in this order like those from the DNS.
        public var addresses: [String]
        /// The port to connect to, 1 to 65535; `nil` for that of the URL.
        public var connectPort: Int?

        /// Makes an override.
        public init(host: String, port: Int, addresses: [String], connectPort: Int? = nil) {
            self.host = host
            self.port = port
            self.addresses = addresses
            self.connectPort = connectPort
        }
    }

    /// The local side of connections.
    public enum LocalEndpoint: Sendable, Hashable {
        /// An address of this machine, IPv4 or IPv6; only server addresses of the same family are then used.
        case address(String)
        /// A network interface by its name, such as `eth0`.
        case interface(String)
    }
}
