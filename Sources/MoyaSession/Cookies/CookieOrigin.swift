package import Foundation
import MoyaTransport

/// What cookies look at in a URL.
package struct CookieOrigin: Sendable, Equatable {
    /// The host in lower case; of an IPv6 address no brackets.
    package let host: String
    /// The path as it is sent.
    package let path: String
    /// Whether `Secure` cookies may go there.
    package let isSecure: Bool

    /// Reads a URL; `nil` where it is none of `http` or `https`, or has no host.
    package init?(url: URL) {
        guard let scheme = url.scheme, let host = url.host(percentEncoded: true)?.lowercased(), !host.isEmpty else {
            return nil
        }
        let isEncrypted = ASCII.equalIgnoringCase(scheme, "https")
        guard isEncrypted || ASCII.equalIgnoringCase(scheme, "http") else { return nil }
        self.host = host.first == "[" ? String(host.dropFirst().prefix { $0 != "]" }) : host
        let path = url.path(percentEncoded: true)
        self.path = path.isEmpty ? "/" : path
        isSecure = isEncrypted || Self.isLoopback(self.host)
    }

    /// Whether the host is this machine, which nobody listens in on (RFC 6265bis section 5.8.3, as browsers do).
    private static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || (host.hasPrefix("127.") && CookieRules.isAddress(host))
    }

    /// The path of a cookie that names none: the directory of the URL (RFC 6265bis section 5.1.4).
    package var defaultPath: String {
        guard path.utf8.first == UInt8(ascii: "/"), let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")),
            slash != path.startIndex
        else { return "/" }
        return String(path[..<slash])
    }
}
