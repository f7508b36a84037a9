extension SecretScanner {
    // MARK: Forms and queries

    /// `true` if text begins with a name and an equals sign, and may be a form.
    ///
    /// A form contains no line feed. Its first value is no string, and no other pair follows a blank, as in logfmt.
    func isForm(_ range: Range<Int>) -> Bool {
        guard beginsForm(range) else { return false }
        var end = range.upperBound
        while end > range.lowerBound, Self.isSpace(bytes[end - 1]) { end -= 1 }
        guard !bytes[range.lowerBound..<end].contains(where: Self.isLineEnd) else { return false }
        let item = range.lowerBound..<(firstIndex(of: UInt8(ascii: "&"), in: range.lowerBound..<end) ?? end)
        guard !containsString(item) else { return false }
        guard let blank = bytes[item].firstIndex(where: ASCII.isBlank) else { return true }
        return firstIndex(of: UInt8(ascii: "="), in: blank..<item.upperBound) == nil
    }

    /// `true` if a quotation mark follows an equals sign.
    private func containsString(_ item: Range<Int>) -> Bool {
        var position = item.lowerBound
        while let equals = firstIndex(of: UInt8(ascii: "="), in: position..<item.upperBound) {
            position = equals + 1
            if position < item.upperBound, isMark(position) { return true }
        }
        return false
    }

    /// `true` if text begins with a name and an equals sign.
    private func beginsForm(_ range: Range<Int>) -> Bool {
        for index in range {
            switch bytes[index] {
            case UInt8(ascii: "&"):
                if MarkupEntities.beginsText(after: index, in: bytes[range]) { return false }
            case UInt8(ascii: "="): return index > range.lowerBound
            case ...0x20, UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "{"),
                UInt8(ascii: "("), UInt8(ascii: ":"), UInt8(ascii: "'"), UInt8(ascii: "?"), UInt8(ascii: ","):
                return false
            default: continue
            }
        }
        return false
    }

    /// Masks the secret items of a form, or of the parameters, query or fragment of a URL.
    ///
    /// - Parameters:
    ///   - origin: The end of a scheme and an authority, which are not text of an item.
    ///   - isForm: `true` for a form, whose ampersands may not be encoded.
    func maskItems(_ range: Range<Int>, separator: UInt8, after origin: Int = 0, isForm: Bool = false) {
        var start = range.lowerBound
        var end = start - 1
        while start < range.upperBound {
            let name = start
            // A string ends an item before the ampersands of entities, which the next search would read again.
            if end < start { end = itemEnd(from: start, to: range.upperBound, separator) }
            let equals = firstIndex(of: UInt8(ascii: "="), in: name..<end)
            let text = equals.map { $0 + 1 } ?? min(max(name, origin), end)
            start = end + 1
            if let equals, isSecretName(name..<equals) {
                guard !isHarmless(text..<end, named: name..<equals) else { continue }
                let valueEnd =
                    endOfQuotedItem(from: text, to: range.upperBound, separator)
                    ?? (isForm ? secretEnd(from: end, to: range.upperBound) : end)
                replace(text..<valueEnd, with: .bare)
                start = valueEnd + 1
            } else if text < end, Self.beginsText(bytes[text]) || containsString(text..<end) {
                // No encoded form contains these bytes, so that a separator may be part of the text.
                return scan(text..<range.upperBound)
            } else {
                maskPercentEncoded(text..<end)
                if Self.mayTell(bytes[text..<end]) { scan(text..<end) }
            }
        }
    }

    /// The end of a secret that may contain ampersands: the offset of one before a name and an equals sign, or the end.
    private func secretEnd(from ampersand: Int, to end: Int) -> Int {
        var position = ampersand
        while position + 1 < end, bytes[position] == UInt8(ascii: "&") {
            let next = firstIndex(of: UInt8(ascii: "&"), in: position + 1..<end) ?? end
            if firstIndex(of: UInt8(ascii: "="), in: position + 1..<next) != nil { return position }
            position = next
        }
        return position
    }

    /// The end of an item that is a string, whose closing mark a separator or the end follows; `nil` for any other value.
    ///
    /// The string may contain separators. The search is bounded, since each item of a form may begin with a mark.
    private func endOfQuotedItem(from start: Int, to end: Int, _ separator: UInt8) -> Int? {
        guard start < end, isMark(start) else { return nil }
        let limit = min(end, start + 1024)
        var position = start + 1
        while let mark = firstIndex(of: bytes[start], in: min(position, limit)..<limit) {
            if mark + 1 == end || bytes[mark + 1] == separator { return mark + 1 }
            position = mark + 1
        }
        return nil
    }

    /// The offset of the next separator, or the end; the ampersand of an entity of markup separates nothing.
    private func itemEnd(from start: Int, to end: Int, _ separator: UInt8) -> Int {
        var position = start
        while let next = firstIndex(of: separator, in: position..<end) {
            guard separator == UInt8(ascii: "&"),
                let (character, _) = MarkupEntities.character(after: next, in: bytes[..<end]), character != "&"
            else { return next }
            position = next + 1
        }
        return end
    }

    /// `true` if JSON, XML or a string may begin with a byte.
    private static func beginsText(_ byte: UInt8) -> Bool { ASCII.isOne(of: "{[<\"", byte) }

    // MARK: In any text

    /// Masks the value after an equals sign if its name denotes a secret.
    ///
    /// - Returns: The offset at which to continue.
    func maskPair(at equals: Int, in range: Range<Int>) -> Int {
        let end = range.upperBound
        var nameEnd = equals
        while nameEnd > range.lowerBound, equals - nameEnd < 8, Self.isSpace(bytes[nameEnd - 1]) { nameEnd -= 1 }
        // As in descriptions by PHP and Ruby: `"password" => "x"`, `[password] => x`; by Foundation: `"X-Token" = x;`.
        let isArrow = equals + 1 < end && bytes[equals + 1] == UInt8(ascii: ">")
        var value = equals + (isArrow ? 2 : 1)
        if nameEnd < equals || isArrow { value = skipSpace(from: value, to: end) }
        // In markup, a line may end before or after the sign, but not in other text.
        let isString = value < end && isMark(value) || isArrow
        if !isString, bytes[nameEnd..<value].contains(where: Self.isLineEnd) { return equals + 1 }
        let subscripted = subscriptName(before: nameEnd, isArrow: isArrow, in: range)
        let isQuoted =
            nameEnd > range.lowerBound && isMark(nameEnd - 1)
            && (isArrow || bytes[nameEnd - 1] == Self.quote)
        if isQuoted { nameEnd -= 1 }
        var nameStart = nameEnd
        while nameStart > range.lowerBound, !Self.endsName(bytes[nameStart - 1]) { nameStart -= 1 }
        let isItem = subscripted == nil && nameStart > range.lowerBound && Self.beginsItem(bytes[nameStart - 1])
        let name = subscripted ?? nameStart..<nameEnd
        // Longer text without an item's delimiter is no name, but base64 before its padding.
        guard isItem || name.count <= 256, isSecretInProse(name, isItem: isItem) else {
            maskPercentEncoded(value..<valueEnd(from: value, to: end) { $0 == UInt8(ascii: "=") })
            return equals + 1
        }
        let isLine = !isItem && beginsLine(nameStart, in: range)
        if let next = endOfHarmlessValue(from: value, to: end, named: name, isLine: isLine) { return next }
        if isArrow, let next = maskSizedString(at: value, end: end) { return next }
        if let next = maskBetweenQuotes(at: stringStart(at: value, end: end), end: end, isPair: true) { return next }
        let isEntry = subscripted != nil || isQuoted && !isArrow
        if let lineEnd = lineEnd(ofValueAt: value, named: name, isEntry: isEntry, isItem: isItem, to: end) {
            replace(value..<lineEnd, with: .bare)
            return max(lineEnd, equals + 1)
        }
        let described = describedEnd(from: value, to: end, isItem: isItem)
        var valueEnd = pairEnd(from: described ?? value, to: end, isItem: isItem, after: nameStart)
        let isBeforeItem = valueEnd < end && bytes[valueEnd] == UInt8(ascii: "&")
        if described == nil, !isBeforeItem, isLine {
            valueEnd = max(valueEnd, lineEnd(from: value, isSpaced: nameEnd < equals, to: end))
        }
        replace(value..<max(value, valueEnd), with: .bare)
        return max(valueEnd, equals + 1)
    }

    /// Masks the user information of a URL, or the value of a header line or label whose name denotes a secret.
    ///
    /// - Returns: The offset at which to continue.
    func maskField(at colon: Int, in range: Range<Int>) -> Int {
        let end = range.upperBound
        if colon + 2 < end, Self.isSlash(bytes[colon + 1]), Self.isSlash(bytes[colon + 2]) {
            let authority = colon + 3..<valueEnd(from: colon + 3, to: end) { Self.endsAuthorityInText($0) }
            maskUserInformation(authority, lastAt: lastAt(from: colon + 3, to: end))
            return colon + 3
        }
        guard let label = label(before: colon, in: range) else { return colon + 1 }
        return maskValue(of: label, at: colon, end: end)
    }

    /// Masks the user information of an authority.
    ///
    /// A parser ends the authority at the first `/`, `?`, `#` or `\`. If the text before it is malformed, the sign may
    /// be a part of a password, and the text is masked up to the last `@`.
    ///
    /// - Parameter lastAt: The offset of the last `@` of the URL, also beyond its authority.
    func maskUserInformation(_ authority: Range<Int>, lastAt: Int?) {
        guard let lastAt else { return }
        let at = lastIndex(of: UInt8(ascii: "@"), in: authority)
        let host = (at.map { $0 + 1 } ?? authority.lowerBound)..<authority.upperBound
        let end = isMalformed(host) || at != nil && host.isEmpty ? lastAt : at
        if let end { replace(authority.lowerBound..<end, with: .bare) }
    }

    /// `true` if no port follows the first colon of a host, outside the brackets of an IPv6 address.
    private func isMalformed(_ host: Range<Int>) -> Bool {
        var start = host.lowerBound
        if start < host.upperBound, bytes[start] == UInt8(ascii: "[") {
            start = firstIndex(of: UInt8(ascii: "]"), in: host) ?? start
        }
        guard let colon = firstIndex(of: UInt8(ascii: ":"), in: start..<host.upperBound) else { return false }
        let port = bytes[colon + 1..<host.upperBound]
        let isPort = 1...5 ~= port.count && port.allSatisfy(ASCII.isDigit)
        return !isPort
    }

    // MARK: Names and values

    func isSecretInProse(_ name: Range<Int>, isItem: Bool) -> Bool {
        guard isItem || !SecretNames.isAmbiguous(slice(name)) else { return false }
        return isSecretName(name)
    }

    /// The offset of the quotation mark of a string, which a letter or a sign may precede: `b"x"`, `@"x"`.
    func stringStart(at position: Int, end: Int) -> Int {
        guard position + 1 < end, Self.isStringPrefix(bytes[position]) else { return position }
        return isMark(position + 1) ? position + 1 : position
    }

    /// Masks the string that starts at a position.
    ///
    /// In markup a backslash does not escape the quotation mark behind it, and what follows may be another secret: with
    /// such a one in the value of a pair, the rest of the tag or line is masked too.
    ///
    /// - Returns: The offset of its end; `nil` without one.
    func maskBetweenQuotes(at start: Int, end: Int, isPair: Bool = false) -> Int? {
        guard start < end, isMark(start) else { return nil }
        var close = start + 1
        var isAmbiguous = false
        while close < end {
            if bytes[close] == bytes[start] {
                // Doubled, in YAML and SQL, or one of three, in other languages.
                guard close + 1 < end, bytes[close + 1] == bytes[start] else { break }
                close += 2
                continue
            }
            let isEscape = bytes[close] == Self.backslash
            if isPair, isEscape, close + 1 < end, bytes[close + 1] == bytes[start] { isAmbiguous = true }
            close += isEscape ? 2 : 1
        }
        while isAmbiguous, close < end, bytes[close] != UInt8(ascii: ">"), !Self.isLineEnd(bytes[close]) { close += 1 }
        close = min(close, end)
        replace(min(start + 1, close)..<close, with: .bare)
        return min(close + 1, end)
    }

    /// The end of a value that may contain white space: of credentials, and of an entry of a dictionary's description by
    /// Foundation or PHP; `nil` for any other.
    ///
    /// - Parameters:
    ///   - isEntry: `true` if the name is that of an entry of a dictionary.
    ///   - isItem: `true` if the name is that of an item of a query or a form.
    private func lineEnd(
        ofValueAt value: Int, named name: Range<Int>, isEntry: Bool, isItem: Bool, to limit: Int
    ) -> Int? {
        let isCredential = !isItem && isCredentialField(name)
        guard isCredential || isEntry, value < limit, !ASCII.isOne(of: "([{", bytes[value]) else { return nil }
        var end = value
        while end < limit, !Self.isLineEnd(bytes[end]), isCredential || bytes[end] != UInt8(ascii: ";") { end += 1 }
        return end
    }

    /// The end of a pair's value, at which an ampersand is only if it separates items.
    private func pairEnd(from start: Int, to end: Int, isItem: Bool, after name: Int) -> Int {
        let valueEnd = valueEnd(from: start, to: end) { isItem && $0 == UInt8(ascii: "#") }
        guard valueEnd < end, bytes[valueEnd] == UInt8(ascii: "&") else { return valueEnd }
        if valueEnd == start, MarkupEntities.beginsText(after: start, in: bytes[..<end]) { return start }
        // In `uid=me;pwd=a&b` the ampersand separates nothing.
        let isParameter = isItem && bytes[name - 1] == UInt8(ascii: ";") && !endsEntity(at: name - 1)
        if isItem, !isParameter { return valueEnd }
        if isOneWord { return secretEnd(from: valueEnd, to: end) }
        var position = valueEnd
        while position < end, bytes[position] > 0x20, bytes[position] != Self.quote { position += 1 }
        return position
    }

    /// `true` if a semicolon ends an entity of markup, such as `&amp;`.
    private func endsEntity(at semicolon: Int) -> Bool {
        bytes[max(semicolon - 8, 0)..<semicolon].contains(UInt8(ascii: "&"))
    }

    private func valueEnd(from start: Int, to end: Int, or isEnd: (UInt8) -> Bool) -> Int {
        var position = start
        while position < end, bytes[position] > 0x20, bytes[position] != Self.quote,
            bytes[position] != UInt8(ascii: "&"), !isEnd(bytes[position])
        { position += 1 }
        return position
    }

    /// `true` if the name of an item may follow.
    private static func beginsItem(_ byte: UInt8) -> Bool { ASCII.isOne(of: "?&#;", byte) }

    /// `true` if a byte ends the authority of a URL; parsers read a backslash as a slash.
    static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == slash || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") || byte == backslash
    }

    static func endsAuthorityInText(_ byte: UInt8) -> Bool {
        endsAuthority(byte) || byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "'")
    }

    private static func endsName(_ byte: UInt8) -> Bool {
        switch byte {
        case ...0x20, UInt8(ascii: "&"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: ";"), UInt8(ascii: ","),
            UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "("),
            UInt8(ascii: ")"), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "|"), UInt8(ascii: "="),
            UInt8(ascii: "/"):
            true
        default: false
        }
    }

    static func isFieldNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
