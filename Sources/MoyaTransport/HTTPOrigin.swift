package import Foundation

/// The origin (RFC 6454 section 4) of an `http` or `https` URL.
package struct HTTPOrigin: Hashable, Sendable {
    /// `true` if the scheme is `https`.
    package let isOverTLS: Bool
    /// The host in its canonical spelling.
    package let host: String
    /// The port.
    package let port: Int

    /// Makes an origin; `nil` if the host is malformed.
    package init?(isOverTLS: Bool, host: String, port: Int) {
        guard let host = CanonicalHost.of(host), (1...65_535).contains(port) else { return nil }
        self.isOverTLS = isOverTLS
        self.host = host
        self.port = port
    }

    /// Parses an origin in a setting: a scheme, a host, and a port unless it is the scheme's default; `nil` for any
    /// other text, as the URL of a request.
    package init?(setting text: String) {
        guard let parts = URLComponents(string: text), let host = parts.encodedHost, let scheme = parts.scheme,
            parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil,
            parts.path.isEmpty || parts.path == "/"
        else { return nil }
        let isOverTLS = ASCII.equalIgnoringCase(scheme, "https")
        guard isOverTLS || ASCII.equalIgnoringCase(scheme, "http") else { return nil }
        self.init(isOverTLS: isOverTLS, host: host, port: parts.port ?? (isOverTLS ? 443 : 80))
    }

    /// Makes the origin of a URL; `nil` without a scheme for HTTP and a host.
    package init?(of url: URL) {
        let scheme = url.scheme?.lowercased()
        guard scheme == "http" || scheme == "https", let host = url.host(percentEncoded: false) else { return nil }
        let isOverTLS = scheme == "https"
        self.init(isOverTLS: isOverTLS, host: host, port: url.port ?? (isOverTLS ? 443 : 80))
    }
}
