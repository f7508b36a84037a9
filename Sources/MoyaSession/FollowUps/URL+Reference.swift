import Foundation

extension URL {
    /// Resolves a reference in a server's field, such as `Location`; `nil` if it is malformed.
    ///
    /// Characters that a URL may not contain are percent-encoded. Foundation would do so as well, but encode the percent
    /// signs in the same part once more: `?a[]=%20` would become `?a%5B%5D=%2520`.
    init?(reference: String, relativeTo base: URL) {
        self.init(string: Self.escaped(reference), relativeTo: base)
    }

    private static func escaped(_ reference: String) -> String {
        let bytes = Array(reference.utf8)
        let digits = Array("0123456789ABCDEF".utf8)
        let start = endOfAuthority(in: bytes)
        var escaped = Array(bytes[..<start])
        for index in start..<bytes.count {
            let byte = bytes[index]
            let isEscape = byte == UInt8(ascii: "%") && bytes[index...].dropFirst().prefix(2).count(where: isDigit) == 2
            if isEscape || isAllowed(byte) {
                escaped.append(byte)
            } else {
                escaped += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    /// The position after the host and the port, whose characters are for Foundation to encode; 0 without them.
    private static func endOfAuthority(in bytes: [UInt8]) -> Int {
        guard let slash = bytes.firstIndex(of: UInt8(ascii: "/")),
            bytes[slash...].dropFirst().first == UInt8(ascii: "/"),
            // After a scheme, or at the start.
            bytes[..<slash].firstIndex(where: { ":?#".utf8.contains($0) }) ?? 0 == max(slash - 1, 0),
            slash == 0 || bytes[slash - 1] == UInt8(ascii: ":")
        else { return 0 }
        return bytes[(slash + 2)...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.count
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"),
            UInt8(ascii: "a")...UInt8(ascii: "f"):
            true
        default: false
        }
    }

    /// The characters of a path, a query or a fragment (RFC 3986 appendix A), and their delimiters.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "-._~:/?#@!$&'()*+,;=".utf8.contains(byte)
        }
    }
}
