/// Comparisons of protocol words, which are ASCII, on their bytes.
package enum ASCII {
    /// The byte, as a lower-case letter if it is an upper-case one.
    package static func lowercased(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }

    /// `true` if two strings differ at most in the case of ASCII letters.
    package static func equalIgnoringCase(_ one: String, _ other: String) -> Bool {
        one.utf8.count == other.utf8.count && hasPrefix(one.utf8[...], other.utf8[...])
    }

    /// `true` if two strings differ at most in the case of ASCII letters.
    package static func equalIgnoringCase(_ one: Substring, _ other: String) -> Bool {
        one.utf8.count == other.utf8.count && hasPrefix(one.utf8, other.utf8[...])
    }

    /// `true` if a string begins with another, but for the case of ASCII letters.
    package static func hasPrefix(_ text: String, _ prefix: String) -> Bool {
        hasPrefix(text.utf8[...], prefix.utf8[...])
    }

    /// Runs for every field of every request: bytes where they lie, with no iterator that has to be specialized.
    private static func hasPrefix(_ text: Substring.UTF8View, _ prefix: Substring.UTF8View) -> Bool {
        let isPrefix = text.withContiguousStorageIfAvailable { text in
            prefix.withContiguousStorageIfAvailable { prefix in
                guard prefix.count <= text.count else { return false }
                for index in 0..<prefix.count where lowercased(text[index]) != lowercased(prefix[index]) {
                    return false
                }
                return true
            }
        }
        return (isPrefix ?? nil) ?? text.prefix(prefix.count).elementsEqual(prefix) { lowercased($0) == lowercased($1) }
    }

    /// `true` if one string comes before another when ASCII letters are taken in lower case.
    package static func precedes(_ one: String, _ other: String) -> Bool {
        one.utf8.lexicographicallyPrecedes(other.utf8) { lowercased($0) < lowercased($1) }
    }

    /// `true` if a byte may stand in a token (RFC 9110 section 5.6.2).
    package static func isTokenByte(_ byte: UInt8) -> Bool {
        byte < 64 ? tokenBytes.0 >> UInt64(byte) & 1 == 1 : byte < 128 && tokenBytes.1 >> UInt64(byte - 64) & 1 == 1
    }

    /// Letters, digits and `!#$%&'*+-.^_|~` and the backtick, a bit each.
    private static var tokenBytes: (UInt64, UInt64) { (0x03FF_6CFA_0000_0000, 0x57FF_FFFF_C7FF_FFFE) }

    /// `true` if a string may be a field value: it holds no control character but tabs (RFC 9110 section 5.5).
    package static func isFieldValue(_ text: String) -> Bool {
        holds(text) { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }

    /// `true` if a string is a token: one or more token bytes.
    package static func isToken(_ text: String) -> Bool { !text.utf8.isEmpty && holds(text) { isTokenByte($0) } }

    /// `true` if all bytes are as required; they are read where they lie, since this runs for every field of every request.
    @inline(__always)
    private static func holds(_ text: String, _ isRight: (UInt8) -> Bool) -> Bool {
        text.utf8.withContiguousStorageIfAvailable { $0.allSatisfy(isRight) } ?? text.utf8.allSatisfy(isRight)
    }
}
