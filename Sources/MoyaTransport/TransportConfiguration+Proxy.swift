extension TransportConfiguration {
    /// Through which proxy, if any, servers are reached.
    public enum ProxySetting: Sendable, Hashable {
        /// As the environment says: `http_proxy`, `https_proxy`, `all_proxy`, and `no_proxy` for exceptions.
        case environment
        /// None, whatever the environment says.
        case none
        /// This one, whatever the environment says.
        case custom(Proxy)
    }

    /// A proxy, and the hosts that are reached without it.
    ///
    /// An `https` URL goes through the proxy as a tunnel: an HTTP proxy learns its host and port (CONNECT, RFC 9110
    /// section 9.3.6), and sees neither the request nor its header fields.
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

        /// The name and password that a proxy requires.
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
        /// The proxy's name or address, an IPv6 address without brackets.
        public var host: String
        /// The proxy's port, 1 to 65535.
        public var port: Int
        /// Sent to the proxy only: as `Proxy-Authorization: Basic` (RFC 7617), or as SOCKS 5 has them (RFC 1929).
        public var credentials: Credentials?
        /// The hosts that are reached without the proxy.
        ///
        /// A name stands for itself and everything below it: `example.com` for `www.example.com` too, with or without a
        /// leading `.` or `*.`; an address for itself; `10.0.0.0/8` for a network, with libcurl 7.86 or later; `*` for
        /// every host.
        public var exceptions: [String]

        /// Makes a proxy that every host is reached through.
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

extension TransportConfiguration.Proxy: CustomStringConvertible {
    /// The proxy as a URL, without its credentials.
    public var description: String {
        "\(kind.rawValue)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
}

extension TransportConfiguration.Proxy.Credentials: MaskedDescription {
    /// The user; not the password.
    public var description: String { "\(user):***" }
}
