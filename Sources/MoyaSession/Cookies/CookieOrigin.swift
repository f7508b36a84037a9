import Foundation
import MoyaTransport

/// The parts of a URL that determine its cookies.
package struct CookieOrigin: Sendable, Equatable {
    /// The host in lower case; IPv6 without brackets.
    package let host: String
    /// The path as sent.
    package let path: String
    /// `true` if `Secure` cookies may be sent to it.
    package let isSecure: Bool

    /// The most bytes of a name (RFC 1035 section 3.1), with a last dot.
    private static let longestHost = 254

    /// Parses a URL; `nil` if its scheme is neither `http` nor `https`, or it has no host, or one that is too long.
    ///
    /// - Parameter loopback: The requests that stay on this machine.
    package init?(url: URL, loopback: LoopbackTraffic = LoopbackTraffic(proxy: .none)) {
        guard let scheme = url.scheme, var host = url.host(percentEncoded: true)?.lowercased(), !host.isEmpty else {
            return nil
        }
        if host.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 >= 0x80 }), host.first != "[" {
            guard let name = Self.asciiName(of: url) else { return nil }
            host = name
        }
        // A proxy may accept a longer one, whose labels are not worth a search for the site of each.
        guard host.utf8.count <= Self.longestHost else { return nil }
        let isEncrypted = ASCII.equalIgnoringCase(scheme, "https")
        guard isEncrypted || ASCII.equalIgnoringCase(scheme, "http") else { return nil }
        self.host = host.first == "[" ? String(host.dropFirst().prefix { $0 != "]" }) : host
        let path = url.path(percentEncoded: true)
        self.path = path.isEmpty ? "/" : path
        // Traffic within this machine is as safe, as in browsers (RFC 6265bis section 5.8.3).
        isSecure = isEncrypted || loopback.contains(self.host)
    }

    /// The ASCII name of an internationalized host (RFC 6265bis section 5.1.2); `nil` without one.
    private static func asciiName(of url: URL) -> String? {
        var components = URLComponents()
        components.host = url.host(percentEncoded: false)
        guard let name = components.encodedHost?.lowercased(), !name.isEmpty,
            name.utf8.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "%") })
        else { return nil }
        return name
    }

    /// The default path of a cookie: the directory of the URL (RFC 6265bis section 5.1.4).
    package var defaultPath: String {
        guard path.utf8.first == UInt8(ascii: "/"), let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")),
            slash != path.startIndex
        else { return "/" }
        return String(path[..<slash])
    }
}
