import Foundation
import MoyaTransport

/// Percent-encodes text in UTF-8 (RFC 3986 section 2.1), with configurable unescaped characters and spaces.
struct PercentEncoding: Sendable {
    /// The unescaped ASCII characters, one bit each.
    private let allowed: (UInt64, UInt64)
    private let writesSpaceAsPlus: Bool
    private let keepsEscapes: Bool

    /// Keeps ASCII letters, digits and `-._~/?`; a space is `%20`.
    static let query = PercentEncoding(allowed: .afURLQueryAllowed)

    /// Keeps the characters of a path, a query or a fragment (RFC 3986 appendix A), their delimiters and escapes.
    static let reference = PercentEncoding(
        allowed: CharacterSet(charactersIn: queryCharacters + ":#@!$&'()*+,;="), keepsEscapes: true)

    /// ASCII letters, digits and `-._~/?`.
    static let queryCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/?"

    /// Keeps the ASCII characters of a set, except the space, which is `%20` or `+`.
    init(allowed characters: CharacterSet, writesSpaceAsPlus: Bool = false, keepsEscapes: Bool = false) {
        func bits(from first: UInt8) -> UInt64 {
            (first..<first + 64).reduce(0) { bits, byte in
                byte != UInt8(ascii: " ") && characters.contains(Unicode.Scalar(byte))
                    ? bits | 1 << UInt64(byte - first) : bits
            }
        }
        allowed = (bits(from: 0), bits(from: 64))
        self.writesSpaceAsPlus = writesSpaceAsPlus
        self.keepsEscapes = keepsEscapes
    }

    /// The encoded text.
    func encode(_ text: String) -> String {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(text.utf8.count)
        append(text, to: &encoded)
        return String(decoding: encoded, as: UTF8.self)
    }

    /// Appends encoded text.
    func append(_ text: String, to output: inout [UInt8]) {
        var text = text
        text.withUTF8 { bytes in
            var start = 0
            for index in bytes.indices where !isAllowed(bytes[index]) && !(keepsEscapes && isEscape(bytes[index...])) {
                output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<index]))
                start = index + 1
                let byte = bytes[index]
                if writesSpaceAsPlus, byte == UInt8(ascii: " ") {
                    output.append(UInt8(ascii: "+"))
                } else {
                    output.append(UInt8(ascii: "%"))
                    output.append(Self.hexadecimalDigit(byte >> 4))
                    output.append(Self.hexadecimalDigit(byte & 0xF))
                }
            }
            output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start...]))
        }
    }

    private func isAllowed(_ byte: UInt8) -> Bool {
        byte < 64 ? allowed.0 >> UInt64(byte) & 1 == 1 : byte < 128 && allowed.1 >> UInt64(byte - 64) & 1 == 1
    }

    private func isEscape(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        bytes.first == UInt8(ascii: "%") && ASCII.byte(ofHexDigits: bytes.dropFirst()) != nil
    }

    private static func hexadecimalDigit(_ value: UInt8) -> UInt8 {
        value + (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "A") - 10)
    }
}
