/// The entities of XML and HTML for signs of markup (XML 1.0 section 4.6), and character references, on bytes.
enum MarkupEntities {
    /// The character that an entity after an ampersand stands for, and the offset after it; `nil` for another text.
    static func character(
        after ampersand: Int, in text: Slice<UnsafeBufferPointer<UInt8>>
    ) -> (character: Unicode.Scalar, end: Int)? {
        let start = ampersand + 1
        guard
            let name = text[min(start, text.endIndex)...].prefix(12).firstIndex(of: UInt8(ascii: ";")).map({
                text[start..<$0]
            })
        else { return nil }
        let character: Unicode.Scalar? =
            switch String(decoding: name, as: UTF8.self).lowercased() {
            case "lt": "<"
            case "gt": ">"
            case "amp": "&"
            case "quot": "\""
            case "apos": "'"
            case let name where name.hasPrefix("#x"): UInt32(name.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
            case let name where name.hasPrefix("#"): UInt32(name.dropFirst()).flatMap(Unicode.Scalar.init)
            default: nil
            }
        return character.map { ($0, name.endIndex + 1) }
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
    static func removing(from text: Slice<UnsafeBufferPointer<UInt8>>) -> [UInt8] {
        var plain: [UInt8] = []
        plain.reserveCapacity(text.count)
        var index = text.startIndex
        while index < text.endIndex {
            if text[index] == UInt8(ascii: "&"), let (character, end) = character(after: index, in: text) {
                plain += UTF8.encode(character) ?? UTF8.encodedReplacementCharacter
                index = end
            } else {
                plain.append(text[index])
                index += 1
            }
        }
        return plain
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
