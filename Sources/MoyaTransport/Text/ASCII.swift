/// The bytes of protocol text, which is ASCII: their classes, numbers and comparisons.
package enum ASCII {
    /// The byte, with an upper-case ASCII letter in lower case.
    @inlinable
    package static func lowercased(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }

    /// `true` for a digit from 0 to 9.
    @inlinable
    package static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

    /// The value of a hexadecimal digit; `nil` for any other byte.
    @inlinable
    package static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    /// The byte of the two hexadecimal digits that begin a text; `nil` for any other text.
    @inlinable
    package static func byte(ofHexDigits digits: some Collection<UInt8>) -> UInt8? {
        guard let high = digits.first.flatMap(hexDigit), let low = digits.dropFirst().first.flatMap(hexDigit) else {
            return nil
        }
        return high << 4 | low
    }

    /// The number that consists of digits only; `nil` for any other text, and for a number beyond 64 bits.
    @inlinable
    package static func number(_ digits: some Collection<UInt8>) -> Int64? {
        guard !digits.isEmpty else { return nil }
        var number: Int64 = 0
        for digit in digits {
            guard isDigit(digit) else { return nil }
            let (tenfold, isTooLong) = number.multipliedReportingOverflow(by: 10)
            let (sum, isTooLarge) = tenfold.addingReportingOverflow(Int64(digit - UInt8(ascii: "0")))
            if isTooLong || isTooLarge { return nil }
            number = sum
        }
        return number
    }

    /// `true` for a space or a tab.
    @inlinable
    package static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// `true` for a space, a tab, a carriage return or a line feed.
    @inlinable
    package static func isSpace(_ byte: UInt8) -> Bool { isBlank(byte) || byte == 0x0D || byte == 0x0A }

    /// `true` if a byte ends the authority of a URL (RFC 3986 section 3.2).
    @inlinable
    package static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    /// `true` if a byte is allowed in a field value: no control character except tabs (RFC 9110 section 5.5).
    @inlinable
    package static func isFieldByte(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F || byte == 0x09 }

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

    /// A number that is the same for strings that differ only in the case of ASCII letters, and for few others.
    static func outline(of text: String) -> Int {
        func outline(_ count: Int, _ first: UInt8?, _ last: UInt8?) -> Int {
            count << 16 | Int((first ?? 0) | 0x20) << 8 | Int((last ?? 0) | 0x20)
        }
        // Reading the bytes in place costs half as much as the string's own collection.
        return text.utf8.withContiguousStorageIfAvailable { outline($0.count, $0.first, $0.last) }
            ?? outline(text.utf8.count, text.utf8.first, text.utf8.last)
    }

    /// `true` if two strings differ at most in the case of ASCII letters.
    @inlinable
    package static func equalIgnoringCase(_ one: Substring, _ other: some StringProtocol) -> Bool {
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

    /// `true` if a string is allowed as a field value.
    package static func isFieldValue(_ text: String) -> Bool { holds(text) { isFieldByte($0) } }

    /// `true` if a string is a token: one or more token bytes.
    package static func isToken(_ text: String) -> Bool { !text.utf8.isEmpty && holds(text) { isTokenByte($0) } }

    /// `true` if all bytes satisfy the condition; reads them in place, since this runs for every field of every
    /// request.
    @inline(__always)
    private static func holds(_ text: String, _ isRight: (UInt8) -> Bool) -> Bool {
        text.utf8.withContiguousStorageIfAvailable { $0.allSatisfy(isRight) } ?? text.utf8.allSatisfy(isRight)
    }
}
