extension SecretScanner {
    // MARK: Lines that continue

    /// The end of the lines that continue a value: those of a folded header field, or of a block or list in YAML.
    ///
    /// They are indented more than the value's name, or are items of a list at its indent. Only a block scalar, and a
    /// value that begins on a later line, may contain empty lines.
    func continuedEnd(of label: FieldLabel, value: Range<Int>, to end: Int) -> Int {
        let indent = indent(of: label.name.lowerBound)
        let isEmpty = value.isEmpty
        let isBlock = !isEmpty && ASCII.isOne(of: "|>", bytes[value.lowerBound])
        var valueEnd = value.upperBound
        var position = valueEnd
        while position < end {
            let start = nextLineStart(from: position, to: end)
            var text = start
            while text < end, ASCII.isBlank(bytes[text]) { text += 1 }
            guard text < end else { break }
            if Self.isLineEnd(bytes[text]) {
                guard isEmpty || isBlock else { break }
                position = text
                continue
            }
            let isItem = isEmpty && text - start == indent && isListItem(at: text, to: end)
            guard !Self.isSpace(bytes[text]), text - start > indent || isItem else { break }
            valueEnd = text
            while valueEnd < end, !Self.isLineEnd(bytes[valueEnd]) { valueEnd += 1 }
            position = valueEnd
        }
        return valueEnd
    }

    /// The offset after one line break at a position.
    private func nextLineStart(from position: Int, to end: Int) -> Int {
        var start = position
        if start < end, bytes[start] == UInt8(ascii: "\r") { start += 1 }
        if start < end, bytes[start] == UInt8(ascii: "\n") { start += 1 }
        return start
    }

    private func isListItem(at position: Int, to end: Int) -> Bool {
        bytes[position] == UInt8(ascii: "-")
            && (position + 1 == end || Self.isSpace(bytes[position + 1]))
    }

    /// The number of bytes between the start of a line and a position in it, at most 64.
    private func indent(of position: Int) -> Int {
        var lineStart = position
        while lineStart > 0, !Self.isLineEnd(bytes[lineStart - 1]), position - lineStart < 64 { lineStart -= 1 }
        return position - lineStart
    }

    // MARK: Lines that name the next

    /// Masks the value on the line after one that names it as a secret: `name: password`, `value: x` in YAML.
    ///
    /// - Returns: The offset at which to continue; `nil` if there is no such value.
    func maskNamedLine(by label: FieldLabel, at start: Int, end: Int) -> Int? {
        guard label.isLine, isOne(of: Self.nameKeys, label.name) else { return nil }
        let limit = min(start + 130, end)
        guard let lineEnd = bytes[start..<limit].firstIndex(where: Self.isLineEnd) else { return nil }
        var name = start..<lineEnd
        while let last = name.last, ASCII.isBlank(bytes[last]) || isMark(last) { name = name.lowerBound..<last }
        if let first = name.first, isMark(first) { name = first + 1..<name.upperBound }
        guard isPlainName(name), isSecretName(name) else { return nil }
        let line = nextLineStart(from: lineEnd, to: end)
        var key = line
        while key < end, ASCII.isBlank(bytes[key]) { key += 1 }
        var keyEnd = key
        while keyEnd < end, Self.isFieldNameByte(bytes[keyEnd]) { keyEnd += 1 }
        guard keyEnd < end, bytes[keyEnd] == UInt8(ascii: ":"), isOne(of: Self.valueKeys, key..<keyEnd),
            key - line == indent(of: label.name.lowerBound)
        else { return nil }
        var value = keyEnd + 1
        while value < end, ASCII.isBlank(bytes[value]) { value += 1 }
        if let next = maskBetweenQuotes(at: value, end: end) { return next }
        var valueEnd = value
        while valueEnd < end, !Self.isLineEnd(bytes[valueEnd]) { valueEnd += 1 }
        let valueLabel = FieldLabel(name: key..<keyEnd, isQuoted: false, opening: UInt8(ascii: "\n"))
        valueEnd = continuedEnd(of: valueLabel, value: value..<valueEnd, to: end)
        replace(value..<valueEnd, with: .bare)
        return valueEnd
    }
}
