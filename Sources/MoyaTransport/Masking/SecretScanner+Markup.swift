extension SecretScanner {
    // MARK: Elements

    /// Masks the attributes and the content of an element whose name denotes a secret, and the value that an element
    /// names as one: `<param name="password" value="x"/>`, `<key>password</key><string>x</string>`.
    ///
    /// - Returns: The offset at which to continue.
    func maskElement(at start: Int, in range: Range<Int>) -> Int {
        let end = range.upperBound
        let (nameEnd, localStart) = elementName(from: start + 1, to: end)
        guard isSecretInProse(localStart..<nameEnd, isItem: false) else {
            guard nameEnd > start + 1 else { return start + 1 }
            return maskNamedValue(ofElement: localStart..<nameEnd, end: end) ?? start + 1
        }
        var tagEnd = nameEnd
        while tagEnd < end, bytes[tagEnd] != UInt8(ascii: ">"), bytes[tagEnd] != UInt8(ascii: "<") { tagEnd += 1 }
        guard tagEnd < end, bytes[tagEnd] == UInt8(ascii: ">") else { return start + 1 }
        if isTypeArgument(start..<tagEnd, nameEnd, in: range) { return start + 1 }
        let isEmpty = bytes[tagEnd - 1] == Self.slash
        // Other text than white space after the name may be a part of a character.
        let attributes = nameEnd + (Self.isSpace(bytes[nameEnd]) ? 1 : 0)
        replace(attributes..<(isEmpty ? max(tagEnd - 1, attributes) : tagEnd), with: .bare)
        return isEmpty ? tagEnd + 1 : maskContent(from: tagEnd + 1, ofElement: start + 1..<nameEnd, end: end)
    }

    /// `true` if text in angle brackets is the argument of a generic type: `Failure<Token>(code: 7)`, `Result<Token, E>`.
    ///
    /// Other text after the bracket may be the content of an element that is cut off.
    private func isTypeArgument(_ tag: Range<Int>, _ nameEnd: Int, in range: Range<Int>) -> Bool {
        guard tag.lowerBound > range.lowerBound, Self.isFieldNameByte(bytes[tag.lowerBound - 1]) else { return false }
        if nameEnd < tag.upperBound { return ASCII.isOne(of: ",?!(", bytes[nameEnd]) }
        let next = nameEnd + 1
        return next == range.upperBound || ASCII.isOne(of: "().,>?!:] ", bytes[next])
    }

    /// The end of an element's name, and the start of the name without its prefix.
    private func elementName(from start: Int, to end: Int) -> (end: Int, localStart: Int) {
        var (nameEnd, localStart) = (start, start)
        while nameEnd < end,
            Self.isFieldNameByte(bytes[nameEnd]) || bytes[nameEnd] == UInt8(ascii: ":")
                || bytes[nameEnd] == UInt8(ascii: ".")
        {
            nameEnd += 1
            if bytes[nameEnd - 1] == UInt8(ascii: ":") { localStart = nameEnd }
        }
        return (nameEnd, localStart)
    }

    /// Masks the content of an element up to its closing tag.
    ///
    /// - Returns: The offset of the closing tag, or the end.
    private func maskContent(from start: Int, ofElement name: Range<Int>, end: Int) -> Int {
        let tag = slice(name)
        var contentEnd = start
        var depth = 0
        while contentEnd < end {
            if bytes[contentEnd] == UInt8(ascii: "<") {
                if let sectionEnd = endOfSection(at: contentEnd, to: end) {
                    contentEnd = sectionEnd
                    continue
                }
                let isClosing = contentEnd + 1 < end && bytes[contentEnd + 1] == Self.slash
                if slice(min(contentEnd + (isClosing ? 2 : 1), end)..<end).starts(with: tag) {
                    if isClosing, depth == 0 { break }
                    depth += isClosing ? -1 : 1
                }
            }
            contentEnd += 1
        }
        if start == contentEnd || !isHarmless(start..<contentEnd, named: name) {
            replace(start..<contentEnd, with: .bare)
        }
        return contentEnd
    }

    /// The end of a CDATA section or a comment, which may contain a closing tag; `nil` at another position.
    private func endOfSection(at start: Int, to end: Int) -> Int? {
        let text = slice(start..<end)
        let sections: [(StaticString, StaticString)] = [("<![CDATA[", "]]>"), ("<!--", "-->")]
        for (opening, closing) in sections where begins(with: opening, at: start, to: end) {
            var position = opening.utf8CodeUnitCount
            while position < text.count, !begins(with: closing, at: start + position, to: end) { position += 1 }
            return start + position
        }
        return nil
    }

    // MARK: Values that an element names

    /// Keys of attributes whose value names that of the element; other keys of objects are everyday words in HTML.
    private static let attributeKeys: [StaticString] = [
        "name", "key", "field", "header", "param", "parameter", "property",
    ]
    /// Elements whose content names the value in the next element.
    private static let elementKeys: [StaticString] = ["key", "name"]
    /// The elements of a property list.
    private static let listElements: [StaticString] = ["string", "data", "integer", "real", "date", "array", "dict"]

    private struct Attribute {
        let name: Range<Int>
        let value: Range<Int>
    }

    /// Masks the value that an element with a harmless name names as a secret.
    ///
    /// - Returns: The offset at which to continue; `nil` to continue within the element.
    private func maskNamedValue(ofElement name: Range<Int>, end: Int) -> Int? {
        var tagEnd = name.upperBound
        var isSecret = false
        while let attribute = nextAttribute(from: &tagEnd, to: end) {
            // The type of a control, such as `password`, tells too, but not an everyday word.
            let isType = isOne(of: ["type"], attribute.name) && !SecretNames.isAmbiguous(slice(attribute.value))
            if isType || isOne(of: Self.attributeKeys, attribute.name), isSecretName(attribute.value) {
                isSecret = true
            }
        }
        let isWhole = tagEnd < end && bytes[tagEnd] == UInt8(ascii: ">")
        let isEmpty = isWhole && bytes[tagEnd - 1] == Self.slash
        if isSecret {
            var position = name.upperBound
            while let attribute = nextAttribute(from: &position, to: end) {
                if isOne(of: Self.valueKeys, attribute.name) {
                    replace(attribute.value, with: .bare)
                } else if isWhole, !isEmpty {
                    // The content may be masked, and the scan then continues behind it.
                    scan(attribute.value)
                }
            }
            return isWhole && !isEmpty ? maskFirstText(from: tagEnd + 1, end: end) : nil
        }
        guard isWhole, !isEmpty, isOne(of: Self.elementKeys, name) else { return nil }
        return maskElement(afterKey: tagEnd + 1, end: end)
    }

    /// Masks the text after a tag, also that of the element of a value; no further, since an element of HTML may lack
    /// a closing tag.
    private func maskFirstText(from start: Int, end: Int) -> Int? {
        let text = skipSpace(from: start, to: end)
        guard text < end, bytes[text] == UInt8(ascii: "<") else {
            replace(text..<(firstIndex(of: UInt8(ascii: "<"), in: text..<end) ?? end), with: .bare)
            return nil
        }
        if begins(with: "<![CDATA[", at: text, to: end) {
            let content = text + 9
            var contentEnd = content
            while contentEnd < end, !begins(with: "]]>", at: contentEnd, to: end) { contentEnd += 1 }
            replace(content..<contentEnd, with: .bare)
            return contentEnd
        }
        return maskValueElement(at: text, of: Self.valueKeys, end: end)
    }

    /// Masks the element after one whose content is the name of a secret: `<key>password</key><string>x</string>`.
    private func maskElement(afterKey content: Int, end: Int) -> Int? {
        // A name is short, and has no elements.
        let limit = min(content + 256, end)
        guard let close = firstIndex(of: UInt8(ascii: "<"), in: content..<limit), isPlainName(content..<close),
            isSecretName(content..<close), close + 1 < end, bytes[close + 1] == Self.slash,
            let closeEnd = firstIndex(of: UInt8(ascii: ">"), in: close..<min(close + 256, end))
        else { return nil }
        let next = skipSpace(from: closeEnd + 1, to: end)
        return maskValueElement(at: next, of: Self.valueKeys + Self.listElements, end: end)
    }

    private func maskValueElement(at start: Int, of names: [StaticString], end: Int) -> Int? {
        guard start < end, bytes[start] == UInt8(ascii: "<") else { return nil }
        let (nameEnd, localStart) = elementName(from: start + 1, to: end)
        guard isOne(of: names, localStart..<nameEnd) else { return nil }
        guard let tagEnd = firstIndex(of: UInt8(ascii: ">"), in: nameEnd..<end), bytes[tagEnd - 1] != Self.slash else {
            return nil
        }
        return maskContent(from: tagEnd + 1, ofElement: start + 1..<nameEnd, end: end)
    }

    /// The next attribute of a tag; `nil` at the end of the tag, at which the position then is.
    ///
    /// Every quotation mark outside a string begins one, also where no value can stand. Tags that lie within each
    /// other's strings therefore differ in their strings, and few of them read the same byte.
    private func nextAttribute(from position: inout Int, to end: Int) -> Attribute? {
        while position < end {
            let byte = bytes[position]
            if byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">") { return nil }
            if byte == Self.quote || byte == UInt8(ascii: "'") {
                _ = string(from: &position, to: end)
            } else if Self.isFieldNameByte(byte) {
                let nameStart = position
                position = elementName(from: position, to: end).end
                let name = nameStart..<position
                let equals = skipSpace(from: position, to: end)
                guard equals < end, bytes[equals] == UInt8(ascii: "=") else { continue }
                position = skipSpace(from: equals + 1, to: end)
                return Attribute(name: name, value: string(from: &position, to: end))
            } else {
                position += 1
            }
        }
        return nil
    }

    /// The value at a position, within its quotation marks if it has them.
    private func string(from position: inout Int, to end: Int) -> Range<Int> {
        let start = position
        if position < end, bytes[position] == Self.quote || bytes[position] == UInt8(ascii: "'") {
            let close = firstIndex(of: bytes[position], in: position + 1..<end) ?? end
            position = min(close + 1, end)
            return start + 1..<close
        }
        while position < end, !Self.isSpace(bytes[position]), bytes[position] != UInt8(ascii: ">"),
            bytes[position] != UInt8(ascii: "<"), bytes[position] != Self.quote, bytes[position] != UInt8(ascii: "'")
        { position += 1 }
        return start..<position
    }
}
