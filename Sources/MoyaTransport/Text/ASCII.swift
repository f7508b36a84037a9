/// Byte comparisons of protocol words, which are ASCII.
package enum ASCII {
    /// The byte, with an upper-case ASCII letter in lower case.
    package static func lowercased(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }

    /// `true` if two strings have the same bytes; equal ones may be spelled differently in Unicode.
    package static func haveSameBytes(_ one: String, _ other: String) -> Bool {
        guard one.utf8.count == other.utf8.count else { return false }
        return one.utf8.withContiguousStorageIfAvailable { one in
            other.utf8.withContiguousStorageIfAvailable { one.elementsEqual($0) }
        }.flatMap { $0 } ?? one.utf8.elementsEqual(other.utf8)
    }

    /// `true` if two strings differ at most in the case of ASCII letters.
    package static func equalIgnoringCase(_ one: String, _ other: String) -> Bool {
        one.utf8.count == other.utf8.count && hasPrefix(one, other)
    }

    /// A number that is the same for names that differ only in case, and for few others.
    package static func outline(of name: String) -> Int {
        let name = name.utf8
        return name.count << 16 | Int((name.first ?? 0) | 0x20) << 8 | Int((name.last ?? 0) | 0x20)
    }

    /// `true` if two strings differ at most in the case of ASCII letters.
    package static func equalIgnoringCase(_ one: Substring, _ other: String) -> Bool {
        one.utf8.count == other.utf8.count && one.utf8.elementsEqual(other.utf8) { lowercased($0) == lowercased($1) }
    }

    /// `true` if bytes are those of a text, ignoring the case of ASCII letters.
    static func equalIgnoringCase(_ bytes: UnsafeBufferPointer<UInt8>, _ text: StaticString) -> Bool {
        text.utf8CodeUnitCount == bytes.count && text.withUTF8Buffer { hasPrefix(bytes, $0) }
    }

    /// `true` if a byte is one of a text's.
    static func isOne(of text: StaticString, _ byte: UInt8) -> Bool {
        text.withUTF8Buffer { text in
            for index in 0..<text.count where text[index] == byte { return true }
            return false
        }
    }

    /// `true` if a string begins with another, ignoring the case of ASCII letters.
    ///
    /// Runs several times for every request: it reads the bytes in place, without an iterator that would need
    /// specialization.
    package static func hasPrefix(_ text: String, _ prefix: String) -> Bool {
        text.utf8.withContiguousStorageIfAvailable { text in
            prefix.utf8.withContiguousStorageIfAvailable { hasPrefix(text, $0) }
        }.flatMap { $0 }
            ?? text.utf8.prefix(prefix.utf8.count).elementsEqual(prefix.utf8) { lowercased($0) == lowercased($1) }
    }

    /// `true` if bytes begin with a text, ignoring the case of ASCII letters.
    package static func hasPrefix(_ bytes: UnsafeRawBufferPointer, _ prefix: StaticString) -> Bool {
        prefix.withUTF8Buffer { hasPrefix(bytes.bindMemory(to: UInt8.self), $0) }
    }

    static func hasPrefix(_ text: UnsafeBufferPointer<UInt8>, _ prefix: UnsafeBufferPointer<UInt8>) -> Bool {
        guard prefix.count <= text.count else { return false }
        for index in 0..<prefix.count where text[index] != prefix[index] {
            if lowercased(text[index]) != lowercased(prefix[index]) { return false }
        }
        return true
    }

    /// The text without the spaces and tabs around it.
    package static func trimmed(_ text: Substring) -> String {
        let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        var text = text.utf8.drop(while: isBlank)
        while let last = text.last, isBlank(last) { text.removeLast() }
        return String(Substring(text))
    }

    /// `true` if one string sorts before another, comparing ASCII letters in lower case.
    package static func precedes(_ one: String, _ other: String) -> Bool {
        one.utf8.lexicographicallyPrecedes(other.utf8) { lowercased($0) < lowercased($1) }
    }

    /// `true` if a byte is allowed in a token (RFC 9110 section 5.6.2).
    package static func isTokenByte(_ byte: UInt8) -> Bool {
        byte < 64 ? tokenBytes.0 >> UInt64(byte) & 1 == 1 : byte < 128 && tokenBytes.1 >> UInt64(byte - 64) & 1 == 1
    }

    /// Letters, digits and `!#$%&'*+-.^_|~` and the backtick, one bit each.
    private static var tokenBytes: (UInt64, UInt64) { (0x03FF_6CFA_0000_0000, 0x57FF_FFFF_C7FF_FFFE) }

    /// `true` if a string is allowed as a field value: it contains no control character except tabs (RFC 9110 section
    /// 5.5).
    package static func isFieldValue(_ text: String) -> Bool {
        holds(text) { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }

    /// `true` if a string is a token: one or more token bytes.
    package static func isToken(_ text: String) -> Bool { !text.utf8.isEmpty && holds(text) { isTokenByte($0) } }

    /// `true` if all bytes satisfy the condition; reads them in place, since this runs for every field of every
    /// request.
    @inline(__always)
    private static func holds(_ text: String, _ isRight: (UInt8) -> Bool) -> Bool {
        text.utf8.withContiguousStorageIfAvailable { $0.allSatisfy(isRight) } ?? text.utf8.allSatisfy(isRight)
    }
}
