extension TransportConfiguration {
    /// A Unix domain socket through which the server of one origin is reached.
    ///
    /// ```swift
    /// TransportConfiguration(unixSockets: [.init(path: "/run/docker.sock", origin: "http://localhost")])
    /// ```
    ///
    /// The URL still decides the `Host` field, and with `https` the name that the certificate has to be for. Requests to every
    /// other origin, the target of a redirect included, go over the network; none goes through the socket. Requests through
    /// the socket pass every proxy by.
    public struct UnixSocket: Sendable, Hashable {
        /// The path of the socket, 1 to 107 bytes.
        public var path: String
        /// The origin (RFC 6454 section 4) that the socket stands for: `http://localhost`, `https://api.example.com:8443`.
        public var origin: String

        /// Makes the setting; the path and the origin are checked when the session is made, the socket at each connection.
        public init(path: String, origin: String) {
            self.path = path
            self.origin = origin
        }
    }

    /// Addresses to connect to for one host name and port, in place of those that the DNS gives.
    ///
    /// ```swift
    /// TransportConfiguration(resolveOverrides: [.init(host: "api.example.com", port: 443, addresses: ["10.0.0.7"])])
    /// ```
    ///
    /// The URL still decides the `Host` field and the name that the certificate has to be for.
    public struct ResolveOverride: Sendable, Hashable {
        /// The host name of URLs, in any spelling; no address, and no wildcard.
        public var host: String
        /// The port of URLs, 1 to 65535: 443 where an `https` URL names none.
        public var port: Int
        /// One or more addresses, IPv4 or IPv6, tried in this order as those of the DNS are.
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
        /// An address of this machine, IPv4 or IPv6; servers are then reached by addresses of that family alone.
        case address(String)
        /// A network interface by its name, such as `eth0`.
        case interface(String)
    }
}
