/// The escapes of a JSON string (RFC 8259 section 7), on bytes.
enum JSONEscapes {
    /// Unescapes the content of a string; an invalid escape is kept.
    ///
    /// No character has more bytes than its escape.
    static func remove(
        from text: Slice<UnsafeBufferPointer<UInt8>>, into plain: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        var (index, count) = (text.startIndex, 0)
        func append(_ byte: UInt8) {
            plain[count] = byte
            count += 1
        }
        while index < text.endIndex {
            let byte = text[index]
            index += 1
            guard byte == UInt8(ascii: "\\"), index < text.endIndex else {
                append(byte)
                continue
            }
            let escape = text[index]
            index += 1
            switch escape {
            case UInt8(ascii: "n"): append(0x0A)
            case UInt8(ascii: "r"): append(0x0D)
            case UInt8(ascii: "t"): append(0x09)
            case UInt8(ascii: "b"): append(0x08)
            case UInt8(ascii: "f"): append(0x0C)
            case UInt8(ascii: "u"):
                for byte in String(decoding: units(in: text, at: &index), as: UTF16.self).utf8 { append(byte) }
            default: append(escape)
            }
        }
        return count
    }

    /// Escapes text as the content of a string.
    static func adding(to text: [UInt8]) -> [UInt8] {
        var escaped: [UInt8] = []
        escaped.reserveCapacity(text.count + 16)
        for byte in text {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): escaped += [UInt8(ascii: "\\"), byte]
            case 0x0A: escaped += "\\n".utf8
            case 0x0D: escaped += "\\r".utf8
            case 0x09: escaped += "\\t".utf8
            case ..<0x20:
                let digits = String(byte, radix: 16)
                escaped += "\\u00\(digits.count < 2 ? "0" : "")\(digits)".utf8
            default: escaped.append(byte)
            }
        }
        return escaped
    }

    /// The code unit after `\u`, and the second one of a surrogate pair.
    private static func units(in text: Slice<UnsafeBufferPointer<UInt8>>, at index: inout Int) -> [UInt16] {
        guard let first = unit(in: text, at: &index) else { return [UInt16(UInt8(ascii: "u"))] }
        guard first & 0xFC00 == 0xD800, index + 1 < text.endIndex, text[index] == UInt8(ascii: "\\"),
            text[index + 1] == UInt8(ascii: "u")
        else { return [first] }
        var next = index + 2
        guard let second = unit(in: text, at: &next) else { return [first] }
        index = next
        return [first, second]
    }

    private static func unit(in text: Slice<UnsafeBufferPointer<UInt8>>, at index: inout Int) -> UInt16? {
        guard index + 4 <= text.endIndex else { return nil }
        var unit: UInt16 = 0
        for offset in 0..<4 {
            guard let digit = ASCII.hexDigit(text[index + offset]) else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        index += 4
        return unit
    }
}
