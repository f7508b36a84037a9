extension SecretScanner {
    // MARK: Lines of settings

    /// `true` if only blanks, the marker of a comment or list, or `export` precede a name in its line.
    func beginsLine(_ name: Int, in range: Range<Int>) -> Bool {
        var position = name
        if position - 7 >= range.lowerBound, begins(with: "export ", at: position - 7, to: name) { position -= 7 }
        while position > range.lowerBound, name - position < 64 {
            let byte = bytes[position - 1]
            if Self.isLineEnd(byte) { return true }
            guard ASCII.isBlank(byte) || ASCII.isOne(of: ";#-*+>/", byte) else { return false }
            position -= 1
        }
        return position == range.lowerBound
    }

    /// The end of a value in a line that has only a name and a value: the end of the line, or of the text before
    /// another pair, as in logfmt.
    ///
    /// - Parameter isSpaced: `true` if a blank precedes the equals sign, so that no other pair follows.
    func lineEnd(from start: Int, isSpaced: Bool, to end: Int) -> Int {
        var position = start
        var blank: Int?
        while position < end, !Self.isLineEnd(bytes[position]) {
            if ASCII.isBlank(bytes[position]) {
                blank = position
            } else if bytes[position] == UInt8(ascii: "="), let blank, !isSpaced {
                return blank
            }
            position += 1
        }
        return position
    }

    // MARK: PHP and Lua

    /// The name in the brackets before an equals sign: `["password"]=>`, `[password:protected] =>`, `["password"] =`.
    func subscriptName(before end: Int, isArrow: Bool, in range: Range<Int>) -> Range<Int>? {
        guard end - 1 > range.lowerBound, bytes[end - 1] == UInt8(ascii: "]"), isArrow || isMark(end - 2) else {
            return nil
        }
        let limit = max(range.lowerBound, end - 130)
        guard let start = bytes[limit..<end - 1].lastIndex(of: UInt8(ascii: "[")) else { return nil }
        return start + 1..<end - 1
    }

    /// The string that begins with its length at a position; `nil` without one.
    func sizedString(at start: Int, after prefix: StaticString, before suffix: StaticString, to end: Int) -> Range<Int>?
    {
        guard begins(with: prefix, at: start, to: end) else { return nil }
        var position = start + prefix.utf8CodeUnitCount
        var count = 0
        while position < end, count < 1 << 24, ASCII.isDigit(bytes[position]) {
            count = count * 10 + Int(bytes[position] - UInt8(ascii: "0"))
            position += 1
        }
        guard begins(with: suffix, at: position, to: end) else { return nil }
        let text = position + suffix.utf8CodeUnitCount
        let textEnd = end - text > count ? text + count : end
        if textEnd < end, bytes[textEnd] == Self.quote { return text..<textEnd }
        // A length in other units than bytes.
        return text..<(firstIndex(of: Self.quote, in: text..<end) ?? end)
    }

    /// Masks the string of a `var_dump` by PHP, which states its length: `string(10) "x"`.
    ///
    /// - Returns: The offset at which to continue; `nil` without such a string.
    func maskSizedString(at start: Int, end: Int) -> Int? {
        guard let text = sizedString(at: start, after: "string(", before: ") \"", to: end) else { return nil }
        replace(text, with: .bare)
        return min(text.upperBound + 1, end)
    }

    /// Masks the string after a secret's name in a serialization by PHP: `s:8:"password";s:1:"x";`.
    ///
    /// - Returns: The offset at which to continue; `nil` without such a string.
    func maskSerializedString(after name: Range<Int>, at semicolon: Int, in range: Range<Int>) -> Int? {
        guard name.count <= 128,
            let text = sizedString(at: semicolon + 1, after: "s:", before: ":\"", to: range.upperBound),
            isSecretName(name)
        else { return nil }
        replace(text, with: .bare)
        return min(text.upperBound + 1, range.upperBound)
    }

    // MARK: Go

    /// `true` for a field of a value that Go prints: `{User:bob Password:x}`.
    func isFieldOfGo(_ label: FieldLabel, at colon: Int, end: Int) -> Bool {
        guard !label.isQuoted, !frames.isEmpty, colon + 1 < end, label.name.lowerBound > 0 else { return false }
        return ASCII.isBlank(bytes[label.name.lowerBound - 1]) && !Self.isSpace(bytes[colon + 1])
    }

    /// Masks the value of a field up to the next field or the closing bracket.
    func maskFieldOfGo(at start: Int, end: Int) -> Int {
        var position = start
        var blank = start
        while position < end, !ASCII.isOne(of: "]}\n", bytes[position]) {
            if bytes[position] == 0x20 {
                blank = position
            } else if bytes[position] == UInt8(ascii: ":"), blank > start, position > blank + 1 {
                position = blank
                break
            }
            position += 1
        }
        replace(start..<position, with: .bare)
        return position
    }

    // MARK: Protocol Buffers

    /// Masks the strings that follow another and are a part of its value: `password: "a" "b"`.
    ///
    /// - Returns: The offset at which to continue.
    func maskAdjacentStrings(from start: Int, to end: Int) -> Int {
        var next = start
        while true {
            let string = skipSpace(from: next, to: end)
            guard string < end, string > next, isMark(string) else { return next }
            let stringEnd = stringEnd(from: string, to: end)
            let following = skipSpace(from: stringEnd, to: end)
            // The string is the key of a member.
            if following < end, ASCII.isOne(of: ":=,", bytes[following]) { return next }
            replace(string + 1..<max(string + 1, stringEnd - 1), with: .bare)
            next = stringEnd
        }
    }

    /// Masks a message with a secret's name: `credentials {`, with a field in the next line.
    ///
    /// - Returns: The offset at which to continue; `nil` for another bracket.
    func maskBlock(at bracket: Int, in range: Range<Int>) -> Int? {
        let end = range.upperBound
        guard bytes[bracket] == UInt8(ascii: "{"), bracket > range.lowerBound, ASCII.isBlank(bytes[bracket - 1]) else {
            return nil
        }
        var nameEnd = bracket
        while nameEnd > range.lowerBound, bracket - nameEnd < 8, ASCII.isBlank(bytes[nameEnd - 1]) { nameEnd -= 1 }
        var name = nameEnd
        while name > range.lowerBound, nameEnd - name <= 64, Self.isFieldNameByte(bytes[name - 1]) { name -= 1 }
        guard name < nameEnd, beginsLine(name, in: range) else { return nil }
        let field = skipSpace(from: bracket + 1, to: end)
        var fieldEnd = field
        while fieldEnd < end, Self.isFieldNameByte(bytes[fieldEnd]) { fieldEnd += 1 }
        // A query of GraphQL has names without values.
        guard field > bracket + 1, fieldEnd > field, fieldEnd < end, bytes[fieldEnd] == UInt8(ascii: ":"),
            isSecretInProse(name..<nameEnd, isItem: false)
        else { return nil }
        let blockEnd = skipValue(from: bracket, to: end)
        replace(bracket..<blockEnd, with: .bare)
        return blockEnd
    }

    // MARK: Commands

    /// Masks the value of a command's option: `--password x`, `--user me:x`, `-u me:x`.
    ///
    /// - Returns: The offset at which to continue; `nil` without such a value.
    func maskOption(at hyphen: Int, in range: Range<Int>) -> Int? {
        let end = range.upperBound
        if hyphen > range.lowerBound, !Self.isSpace(bytes[hyphen - 1]), !isMark(hyphen - 1) { return nil }
        var nameEnd = hyphen
        while nameEnd < end, nameEnd - hyphen < 64, Self.isFieldNameByte(bytes[nameEnd]) { nameEnd += 1 }
        let option = hyphen..<nameEnd
        guard nameEnd < end, ASCII.isBlank(bytes[nameEnd]) else { return nil }
        var value = nameEnd
        while value < end, ASCII.isBlank(bytes[value]) { value += 1 }
        guard value < end, bytes[value] != UInt8(ascii: "-"), bytes[value] != UInt8(ascii: "=") else { return nil }
        let isUser = isUserOption(option)
        guard isUser || isOption(option) && isSecretInProse(option, isItem: false) else { return nil }
        if let next = maskBetweenQuotes(at: value, end: end) { return next }
        var valueEnd = value
        while valueEnd < end, !Self.isSpace(bytes[valueEnd]), bytes[valueEnd] != Self.quote { valueEnd += 1 }
        guard !isUser || firstIndex(of: UInt8(ascii: ":"), in: value..<valueEnd) != nil else { return nil }
        replace(value..<valueEnd, with: .bare)
        return max(valueEnd, hyphen + 1)
    }

    /// `true` for the name of an option with two hyphens.
    func isOption(_ name: Range<Int>) -> Bool {
        name.count > 3 && begins(with: "--", at: name.lowerBound, to: name.upperBound)
    }

    /// `true` for an option of curl whose value is a user name and a password.
    func isUserOption(_ name: Range<Int>) -> Bool {
        name.count > 1 && bytes[name.lowerBound] == UInt8(ascii: "-")
            && isOne(of: ["-u", "--user", "--proxy-user"], name)
    }

    /// `true` for the value of a field with credentials in a list of names and values, rather than another name.
    func isCredentialValue(_ value: Range<Int>) -> Bool {
        bytes[value].contains { $0 == 0x20 || $0 == UInt8(ascii: "=") }
    }
}
