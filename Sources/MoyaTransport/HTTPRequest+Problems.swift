extension TransportBody {
    /// The reason that the stated length cannot be sent, or `nil`.
    package var lengthProblem: String? {
        guard let length, length < 0 else { return nil }
        return "The stated length of the body is \(length). State one of 0 or more; for a stream, nil if it is unknown."
    }
}

extension HTTPRequest {
    /// `true` if a method may be sent: it is a token (RFC 9110 section 9.1) other than CONNECT, which requests a tunnel
    /// from a proxy and makes the connection unusable for HTTP (section 9.3.6).
    package static func isMethod(_ method: String) -> Bool {
        ASCII.isToken(method) && !ASCII.equalIgnoringCase(method, "connect")
    }

    /// Returns the reason that a method cannot be sent, or `nil`.
    package static func problem(ofMethod method: String) -> String? {
        if let problem = lengthProblem(of: "method", method) { return problem }
        if isMethod(method) { return nil }
        return ASCII.isToken(method)
            ? "CONNECT asks a proxy for a tunnel, and no server for a resource."
            : "\(String(method.prefix(100)).debugDescription) is not a method: it is not a token."
    }

    /// Returns the reason that a URL cannot be sent, or `nil`.
    ///
    /// A valid URL has a scheme, only bytes that are allowed in a request line, and no user information before its
    /// host.
    package static func problem(ofURL url: String) -> String? {
        if let problem = lengthProblem(of: "URL", url) { return problem }
        let schemeLength = ASCII.hasPrefix(url, "http://") ? 7 : ASCII.hasPrefix(url, "https://") ? 8 : 0
        var (isSendable, isInAuthority, hasUser) = (schemeLength > 0, true, false)
        var url = url
        url.withUTF8 { bytes in
            for index in schemeLength..<bytes.count {
                switch bytes[index] {
                case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): isInAuthority = false
                case UInt8(ascii: "@"): if isInAuthority { hasUser = true }
                case UInt8(ascii: "\\"): if isInAuthority { hasUser = true } else { isSendable = false }
                case UInt8(ascii: "%"): if ASCII.byte(ofHexDigits: bytes[(index + 1)...]) == nil { isSendable = false }
                // RFC 3986 section 2 has no place for these.
                case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "^"), UInt8(ascii: "`"),
                    UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
                    isSendable = false
                case 0x21..<0x7F: break
                default: isSendable = false
                }
            }
        }
        if isSendable, !hasUser { return nil }
        if hasUser { return "The URL holds a user name or a password before its host, which no transport sends." }
        let text = SecretMask.standard.beginning(ofURL: url)
        return "\(text.debugDescription) is no absolute, percent-encoded http or https URL."
    }

    /// The limit of libcurl, at which Foundation on Linux traps.
    private static func lengthProblem(of part: String, _ text: String) -> String? {
        let (count, most) = (text.utf8.count, 8_000_000)
        return count < most ? nil : "The \(part) has \(count) bytes; it must have fewer than \(most)."
    }
}
