extension HTTPRequest {
    /// `true` if a method may be sent: it is a token (RFC 9110 section 9.1) other than CONNECT, which requests a tunnel
    /// from a proxy and leaves a connection on which nothing means what it did (section 9.3.6).
    package static func isMethod(_ method: String) -> Bool {
        ASCII.isToken(method) && !ASCII.equalIgnoringCase(method, "connect")
    }

    /// Returns why a method cannot be sent; `nil` when it can.
    package static func problem(ofMethod method: String) -> String? {
        if isMethod(method) { return nil }
        return ASCII.isToken(method)
            ? "CONNECT asks a proxy for a tunnel, and no server for a resource."
            : "\(String(method.prefix(100)).debugDescription) is no method: it is no token."
    }

    /// Returns why a URL cannot be sent; `nil` when it can.
    ///
    /// Its scheme is there, every byte may stand in a request line, and no user information precedes its host.
    package static func problem(ofURL url: String) -> String? {
        let schemeLength = ASCII.hasPrefix(url, "http://") ? 7 : ASCII.hasPrefix(url, "https://") ? 8 : 0
        var (isSendable, isInAuthority, hasUser) = (schemeLength > 0, true, false)
        for byte in url.utf8.dropFirst(schemeLength) {
            switch byte {
            case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): isInAuthority = false
            case UInt8(ascii: "@"), UInt8(ascii: "\\"): if isInAuthority { hasUser = true }
            case 0x21..<0x7F: break
            default: isSendable = false
            }
        }
        if isSendable, !hasUser { return nil }
        if hasUser { return "The URL holds a user name or a password before its host, which no transport sends." }
        return "\(String(url.prefix(1_000)).debugDescription) is no absolute, percent-encoded http or https URL."
    }
}
