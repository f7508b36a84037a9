import MoyaTransport

/// The spelling of a URL that identifies its stored responses.
enum CacheKey {
    /// The URL with scheme and host in lower case, without the default port, and with a path (RFC 9110 section 4.2.3).
    ///
    /// A URL with user information, or with another scheme, is unchanged. So is nearly every other URL, which then costs no
    /// allocation.
    static func normalized(_ url: String) -> String {
        let isSecure = ASCII.hasPrefix(url, "https://")
        guard isSecure || ASCII.hasPrefix(url, "http://") else { return url }
        let start = url.utf8.index(url.startIndex, offsetBy: isSecure ? 8 : 7)
        let end = url.utf8[start...].firstIndex(where: ASCII.endsAuthority) ?? url.endIndex
        guard !url.utf8[start..<end].contains(UInt8(ascii: "@")) else { return url }
        let authority = withoutDefaultPort(url.utf8[start..<end], isSecure: isSecure)
        let hasPath = end < url.endIndex && url.utf8[end] == UInt8(ascii: "/")
        if hasPath, authority.endIndex == end, url.utf8[..<end].allSatisfy({ ASCII.lowercased($0) == $0 }) {
            return url
        }
        let host = String(decoding: authority.map(ASCII.lowercased), as: UTF8.self)
        return (isSecure ? "https://" : "http://") + host + (hasPath ? "" : "/") + url[end...]
    }

    private static func withoutDefaultPort(
        _ authority: Substring.UTF8View, isSecure: Bool
    ) -> Substring.UTF8View {
        // The colons of an IPv6 address are before a bracket.
        guard let colon = authority.lastIndex(of: UInt8(ascii: ":")) else { return authority }
        let port = authority[authority.index(after: colon)...]
        let isDefault = port.isEmpty || port.elementsEqual((isSecure ? "443" : "80").utf8)
        return isDefault ? authority[..<colon] : authority
    }
}
