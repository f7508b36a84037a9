/// The entities of XML and HTML for signs of markup (XML 1.0 section 4.6), and character references, on bytes.
enum MarkupEntities {
    /// The character that an entity after an ampersand stands for, and the offset after it; `nil` for another text.
    static func character(
        after ampersand: Int, in text: Slice<UnsafeBufferPointer<UInt8>>
    ) -> (character: Unicode.Scalar, end: Int)? {
        let start = ampersand + 1
        var end = start
        let limit = min(start + 12, text.endIndex)
        while end < limit, text[end] != UInt8(ascii: ";") { end += 1 }
        guard end < limit, start < end else { return nil }
        let name = text[start..<end]
        let character = name.first == UInt8(ascii: "#") ? numbered(name.dropFirst()) : named(name)
        return character.map { ($0, end + 1) }
    }

    private static func named(_ name: Slice<UnsafeBufferPointer<UInt8>>) -> Unicode.Scalar? {
        let names: [(StaticString, Unicode.Scalar)] = [
            ("lt", "<"), ("gt", ">"), ("amp", "&"), ("quot", "\""), ("apos", "'"),
        ]
        return names.first { ASCII.equalIgnoringCase(UnsafeBufferPointer(rebasing: name), $0.0) }?.1
    }

    private static func numbered(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> Unicode.Scalar? {
        let isHexadecimal = digits.first.map { $0 | 0x20 } == UInt8(ascii: "x")
        let radix: UInt8 = isHexadecimal ? 16 : 10
        let digits = isHexadecimal ? digits.dropFirst() : digits
        var number: UInt32 = 0
        for digit in digits {
            guard let value = ASCII.hexDigit(digit), value < radix else { return nil }
            // At most ten digits: a number of 32 bits may overflow, and is then no character.
            let (shifted, isTooLong) = number.multipliedReportingOverflow(by: UInt32(radix))
            let (sum, isTooLarge) = shifted.addingReportingOverflow(UInt32(value))
            guard !isTooLong, !isTooLarge else { return nil }
            number = sum
        }
        return digits.isEmpty ? nil : Unicode.Scalar(number)
    }

    /// `true` if a quotation mark or a tag begins after an ampersand, whatever the number of encodings.
    static func beginsText(after ampersand: Int, in text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        var position = ampersand
        while let (character, end) = character(after: position, in: text) {
            guard character == "&" else { return character == "<" || character == "\"" }
            // `&amp;lt;` is an entity in an entity.
            position = end - 1
        }
        return false
    }

    /// Replaces entities by their characters; unknown ones are kept.
    ///
    /// No character has more bytes than its entity.
    static func remove(
        from text: Slice<UnsafeBufferPointer<UInt8>>, into plain: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        var (index, count) = (text.startIndex, 0)
        while index < text.endIndex {
            if text[index] == UInt8(ascii: "&"), let (character, end) = character(after: index, in: text) {
                for byte in UTF8.encode(character) ?? UTF8.encodedReplacementCharacter {
                    plain[count] = byte
                    count += 1
                }
                index = end
            } else {
                plain[count] = text[index]
                count += 1
                index += 1
            }
        }
        return count
    }

    /// Replaces the signs of markup by entities.
    static func adding(to text: [UInt8]) -> [UInt8] {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(text.count + 16)
        for byte in text {
            switch byte {
            case UInt8(ascii: "&"): encoded += "&amp;".utf8
            case UInt8(ascii: "<"): encoded += "&lt;".utf8
            case UInt8(ascii: ">"): encoded += "&gt;".utf8
            case UInt8(ascii: "\""): encoded += "&quot;".utf8
            default: encoded.append(byte)
            }
        }
        return encoded
    }
}
