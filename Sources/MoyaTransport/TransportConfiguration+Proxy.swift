extension TransportConfiguration {
    /// The choice of a proxy.
    public enum ProxySetting: Sendable, Hashable {
        /// The environment's proxies: `http_proxy`, `https_proxy`, `all_proxy`, and `no_proxy` for exceptions.
        case environment
        /// No proxy; the environment is ignored.
        case none
        /// The given proxy; the environment is ignored.
        case custom(Proxy)
    }

    /// A proxy, and the hosts that are reached directly.
    ///
    /// An `https` URL uses the proxy as a tunnel: an HTTP proxy learns its host and port (CONNECT, RFC 9110 section
    /// 9.3.6), but sees neither the request nor its header fields.
    public struct Proxy: Sendable, Hashable {
        /// The protocol of the proxy.
        public enum Kind: String, Sendable, Hashable, CaseIterable {
            /// HTTP without encryption.
            case http
            /// HTTP over TLS; the session's certificate authorities apply to the proxy.
            case https
            /// SOCKS 5 (RFC 1928); the proxy resolves host names.
            case socks5
        }

        /// The user name and password for a proxy.
        public struct Credentials: Sendable, Hashable {
            /// The user's name.
            public var user: String
            /// The user's password.
            public var password: String

            /// Makes credentials.
            public init(user: String, password: String) {
                self.user = user
                self.password = password
            }
        }

        /// The protocol of the proxy.
        public var kind: Kind
        /// The proxy's name or address; IPv6 without brackets.
        public var host: String
        /// The proxy's port, 1 to 65535.
        public var port: Int
        /// Credentials, sent only to the proxy: as `Proxy-Authorization: Basic` (RFC 7617), or as SOCKS 5 specifies
        /// (RFC 1929).
        public var credentials: Credentials?
        /// The hosts that are reached directly.
        ///
        /// A name matches itself and all its subdomains: `example.com` matches `www.example.com`, with or without a
        /// leading `.` or `*.`. An address matches itself. Both may have any spelling, and have no port. `10.0.0.0/8`
        /// matches a network of IPv4, with libcurl 7.86 or later. `*` matches every host.
        public var exceptions: [String]

        /// Makes a proxy, by default for every host.
        public init(
            _ kind: Kind, host: String, port: Int, credentials: Credentials? = nil, exceptions: [String] = []
        ) {
            self.kind = kind
            self.host = host
            self.port = port
            self.credentials = credentials
            self.exceptions = exceptions
        }
    }
}

extension TransportConfiguration.Proxy: MaskedDescription {
    /// The proxy as a URL, without its credentials.
    public var description: String {
        let host = SecretMask.withoutUser(host)
        return "\(kind.rawValue)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
}

extension TransportConfiguration.Proxy.Credentials: MaskedDescription {
    /// The user, without the password.
    public var description: String { "\(user):***" }
}
