import Foundation

/// The canonical spelling of a host, used to compare pins, origins and the hosts of requests.
package enum CanonicalHost {
    /// The host as certificates name it; `nil` if the text is not a host.
    ///
    /// A name is in lower case and in ASCII (`xn--`, RFC 5890 section 2.3.2.1), without the trailing dot. An address is
    /// in its shortest form, IPv6 without brackets and zone (RFC 5952). A percent sign outside a zone is invalid.
    package static func of(_ text: String) -> String? {
        if text.utf8.contains(UInt8(ascii: ":")) { return addressOfVersion6(text[...]) }
        let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
        var bytes = Array((isASCII ? text : inASCII(text)).utf8.lazy.map(ASCII.lowercased))
        if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
        guard (1...253).contains(bytes.count), bytes.allSatisfy(isNameByte) else { return nil }
        let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.allSatisfy({ (1...63).contains($0.count) }) else { return nil }
        let name = String(decoding: bytes, as: UTF8.self)
        if let address = addressOfVersion4(name) { return address }
        // DNS names end in letters: this is a malformed address.
        return labels.last?.allSatisfy(ASCII.isDigit) == true ? nil : name
    }

    /// Converts an internationalized name as Foundation does in URLs (UTS #46), so that it matches the host of
    /// requests.
    private static func inASCII(_ name: String) -> String {
        var components = URLComponents()
        components.host = name
        return components.encodedHost ?? ""
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
        default: ASCII.isDigit(byte)
        }
    }

    /// Parses an address in any form that a URL allows: `127.1` and `0x7f000001` are `127.0.0.1`.
    private static func addressOfVersion4(_ text: String) -> String? {
        var address = in_addr()
        guard text.utf8.first.map(ASCII.isDigit) == true, inet_aton(text, &address) != 0 else { return nil }
        return withUnsafePointer(to: address) { shortest(AF_INET, $0) }
    }

    private static func addressOfVersion6(_ text: Substring) -> String? {
        var text = text
        if text.hasPrefix("["), text.hasSuffix("]") { text = text.dropFirst().dropLast() }
        var address = in6_addr()
        guard inet_pton(AF_INET6, String(text.prefix { $0 != "%" }), &address) == 1 else { return nil }
        return withUnsafePointer(to: address) { shortest(AF_INET6, $0) }
    }

    private static func shortest(_ family: Int32, _ address: UnsafeRawPointer) -> String? {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(family, address, &text, socklen_t(text.count)) != nil else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
