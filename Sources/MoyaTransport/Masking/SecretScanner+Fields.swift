/// The name before a colon, and its place in the text.
struct FieldLabel {
    let name: Range<Int>
    /// `true` if single quotation marks surround the name.
    let isQuoted: Bool
    /// `true` if a dotted path precedes the name.
    var hasPath = false
    /// The byte before the name and white space; a line feed at the start of the text, and after the marker of a list
    /// item or quotation.
    let opening: UInt8

    /// `true` if the name begins a line, or a header field in single quotation marks.
    var isLine: Bool { ASCII.isOne(of: "'\n\r", opening) }

    /// `true` if the name is that of a member: of a Swift description, or an object without quotation marks.
    var isMember: Bool { ASCII.isOne(of: "(,[{", opening) }
}

extension SecretScanner {
    // MARK: Labels

    /// The name that ends at a colon; `nil` without one.
    func label(before colon: Int, in range: Range<Int>) -> FieldLabel? {
        if let name = quotedName(before: colon, in: range) {
            return FieldLabel(name: name, isQuoted: true, opening: opening(before: name.lowerBound - 1, in: range))
        }
        var end = colon
        while end > range.lowerBound, colon - end < 8, ASCII.isBlank(bytes[end - 1]) { end -= 1 }
        var start = end
        while start > range.lowerBound, end - start <= 64, Self.isFieldNameByte(bytes[start - 1]) { start -= 1 }
        guard start < end, !isTime(start..<end) else { return nil }
        let path = pathStart(before: start, in: range)
        let label = FieldLabel(
            name: start..<end, isQuoted: false, hasPath: path < start, opening: opening(before: path, in: range))
        // A header field has no white space before its colon (RFC 9112 section 5.1), but a property may.
        return end == colon || label.isMember || label.isLine ? label : nil
    }

    /// `true` for the digits of a time, which are frequent and name nothing: `10:30`, `2020-01-01T10:30`.
    private func isTime(_ name: Range<Int>) -> Bool {
        ASCII.isDigit(bytes[name.lowerBound])
            && bytes[name].allSatisfy { $0 <= UInt8(ascii: "9") || $0 == UInt8(ascii: "T") }
    }

    /// The start of a dotted path before a name, as in properties: `spring.datasource.password`.
    ///
    /// A path in Swift begins with a capital.
    private func pathStart(before name: Int, in range: Range<Int>) -> Int {
        var start = name
        while start > range.lowerBound, name - start <= 128,
            Self.isFieldNameByte(bytes[start - 1]) || bytes[start - 1] == UInt8(ascii: ".")
        { start -= 1 }
        return start < name && UInt8(ascii: "a")...UInt8(ascii: "z") ~= bytes[start] ? start : name
    }

    /// The name in single quotation marks before a colon, as in a description by Python or YAML.
    private func quotedName(before colon: Int, in range: Range<Int>) -> Range<Int>? {
        let mark = UInt8(ascii: "'")
        var end = colon
        while end > range.lowerBound, colon - end < 8, ASCII.isBlank(bytes[end - 1]) { end -= 1 }
        guard end > range.lowerBound, bytes[end - 1] == mark else { return nil }
        end -= 1
        var start = end
        while start > range.lowerBound, end - start <= 128, bytes[start - 1] != mark, bytes[start - 1] >= 0x20 {
            start -= 1
        }
        return start < end && start > range.lowerBound && bytes[start - 1] == mark ? start..<end : nil
    }

    private func opening(before name: Int, in range: Range<Int>) -> UInt8 {
        var position = name
        var marker: UInt8?
        while position > range.lowerBound, name - position < 64 {
            let byte = bytes[position - 1]
            if Self.isListMarker(byte) {
                marker = marker ?? byte
            } else if !ASCII.isBlank(byte) {
                return Self.isLineEnd(byte) ? byte : marker ?? byte
            }
            position -= 1
        }
        return position > range.lowerBound ? UInt8(ascii: " ") : UInt8(ascii: "\n")
    }

    static func isLineEnd(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }

    /// `true` for the marker of a list item in YAML or Markdown, a quotation, or a line of `curl -v`.
    private static func isListMarker(_ byte: UInt8) -> Bool { ASCII.isOne(of: "-*+<>", byte) }

    // MARK: Values

    /// Masks the value after a colon if its name denotes a secret.
    ///
    /// - Returns: The offset at which to continue.
    func maskValue(of label: FieldLabel, at colon: Int, end: Int) -> Int {
        var value = colon + 1
        while value < end, label.isMember ? Self.isSpace(bytes[value]) : ASCII.isBlank(bytes[value]) { value += 1 }
        guard value < end else { return value }
        // The value of a line or a member is masked whole, whatever it begins with.
        if !label.isLine, !label.isMember { value = stringStart(at: value, end: end) }
        let isText = isMark(value)
        let isCredential = isOne(of: Self.credentialFields, label.name)
        let isField = isFieldOfGo(label, at: colon, end: end)
        guard label.isLine || label.isMember || isText || isCredential || isField,
            isSecretInProse(label.name, isItem: label.isQuoted || label.hasPath || isField)
        else {
            return maskNamedLine(by: label, at: value, end: end) ?? maskNamedMember(by: label, at: value, end: end)
                ?? colon + 1
        }
        if let next = endOfHarmlessValue(from: value, to: end, named: label.name, isLine: !label.isMember) {
            return next
        }
        if let next = maskBetweenQuotes(at: value, end: end) { return maskAdjacentStrings(from: next, to: end) }
        if isField, !label.isLine, !label.isMember { return maskFieldOfGo(at: value, end: end) }
        // Credentials may contain commas.
        if label.isMember, !isCredential { return maskMember(at: value, end: end) }
        let isQuoted = label.opening == UInt8(ascii: "'")
        var valueEnd = value
        while valueEnd < end, !Self.isLineEnd(bytes[valueEnd]), !isQuoted || bytes[valueEnd] != label.opening {
            valueEnd += 1
        }
        if !isQuoted, label.isLine { valueEnd = continuedEnd(of: label, value: value..<valueEnd, to: end) }
        replace(value..<valueEnd, with: .bare)
        return valueEnd
    }

    /// Masks the value of the next member if this one names it as a secret: `Header(name: "Cookie", value: "…")`.
    ///
    /// - Returns: The offset at which to continue; `nil` if there is no such value.
    private func maskNamedMember(by label: FieldLabel, at start: Int, end: Int) -> Int? {
        guard label.isMember, isOne(of: Self.nameKeys, label.name), isMark(start) else { return nil }
        let nameEnd = stringEnd(from: start, to: min(start + 130, end))
        let comma = skipSpace(from: nameEnd, to: end)
        let name = start + 1..<max(start + 1, nameEnd - 1)
        guard comma < end, bytes[comma] == UInt8(ascii: ","), isPlainName(name), isSecretName(name) else { return nil }
        var key = skipSpace(from: comma + 1, to: end)
        if label.isQuoted, key < end, bytes[key] == UInt8(ascii: "'") { key += 1 }
        var keyEnd = key
        while keyEnd < end, Self.isFieldNameByte(bytes[keyEnd]) { keyEnd += 1 }
        guard isOne(of: Self.valueKeys, key..<keyEnd) else { return nil }
        if label.isQuoted { keyEnd += 1 }
        let value = skipSpace(from: keyEnd + 1, to: end)
        guard value < end, bytes[keyEnd] == UInt8(ascii: ":") else { return nil }
        if let next = endOfHarmlessValue(from: value, to: end, named: name) { return next }
        return maskBetweenQuotes(at: value, end: end) ?? maskMember(at: value, end: end)
    }

    private func maskMember(at start: Int, end: Int) -> Int {
        let next = descriptionEnd(from: start, to: end, isMember: true)
        var valueEnd = next
        while valueEnd > start, Self.isSpace(bytes[valueEnd - 1]) { valueEnd -= 1 }
        replace(start..<valueEnd, with: .bare)
        return next
    }

    /// The end of an equals sign's value that is a Swift description or a collection: `Optional("x")`, `(a, b)`.
    ///
    /// - Returns: `nil` if the value has another form.
    func describedEnd(from start: Int, to end: Int, isItem: Bool) -> Int? {
        var position = start
        while position < end, Self.isTypeNameByte(bytes[position]) { position += 1 }
        guard position < end, ASCII.isOne(of: "([{", bytes[position]) else { return nil }
        // A bracket may be a part of an item's value, up to the next item.
        if isItem, position + 1 < end, bytes[position + 1] != Self.quote { return nil }
        return descriptionEnd(from: position, to: end, isMember: false)
    }

    /// The offset of the comma or closing bracket after a member's value, otherwise that after the first closing
    /// bracket at the outermost level; or the end.
    private func descriptionEnd(from start: Int, to end: Int, isMember: Bool) -> Int {
        var position = start
        var depth = 0
        while position < end {
            switch bytes[position] {
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
                if depth == 0 { return position }
                depth -= 1
                if depth == 0, !isMember { return position + 1 }
            case UInt8(ascii: ","):
                if depth == 0 { return position }
            case Self.quote:
                position = stringEnd(from: position, to: end)
                continue
            case UInt8(ascii: "'") where position <= start + 1 || !Self.isFieldNameByte(bytes[position - 1]):
                position = stringEnd(from: position, to: end)
                continue
            default: break
            }
            position += 1
        }
        return end
    }

    /// The offset after the string that begins with the mark at a position, or the end.
    ///
    /// In escaped text, backslashes precede both marks of a string, and more of them a mark within it.
    func stringEnd(from start: Int, to end: Int) -> Int {
        var level = 0
        while level < start, bytes[start - level - 1] == Self.backslash { level += 1 }
        var position = start + 1
        var backslashes = 0
        while position < end {
            if bytes[position] == Self.backslash {
                backslashes += 1
            } else {
                let isEnd = backslashes <= level || level == 0 && backslashes.isMultiple(of: 2)
                if bytes[position] == bytes[start], isEnd { return position + 1 }
                backslashes = 0
            }
            position += 1
        }
        return end
    }

    private static func isTypeNameByte(_ byte: UInt8) -> Bool {
        isFieldNameByte(byte) || ASCII.isOne(of: ".<>:", byte)
    }

    /// The fields that contain only credentials, at any position in a line.
    private static let credentialFields: [StaticString] = [
        "authorization", "proxy-authorization", "cookie", "set-cookie",
    ]

    private static let credentialVariables: [StaticString] = [
        "http_authorization", "http_proxy_authorization", "http_cookie",
    ]

    /// `true` for the name of a field with credentials, also as a variable of CGI (RFC 3875 section 4.1.18).
    func isCredentialField(_ name: Range<Int>) -> Bool {
        isOne(of: Self.credentialFields, name) || isOne(of: Self.credentialVariables, name)
    }
}
