/// An open object or array.
struct JSONFrame {
    /// The offset of its start.
    let start: Int
    /// The range of a member that may name another member's value: `{"name": "password", "value": "…"}`.
    var name = 0..<0
    var isNameEscaped = false
    /// `true` if the name is that of a type: `{"type": "password", "value": "…"}`.
    var isTypeName = false
    /// The offset of the named value, if that is an object or array.
    var valueStart = -1
    /// The range of the value, if it precedes the name.
    var value = 0..<0
    /// The offset of the array of a member `keys`, whose objects have keys as values.
    var keysStart = -1
    /// `true` for that array, and for its objects.
    var containsKeys = false
}

/// The relation of a member to the secrets of its object.
enum JSONRole {
    /// The member's value is a secret.
    case secret
    /// The member's value names another member's value.
    case name
    /// Another member names the member's value.
    case value
    /// The member is unrelated.
    case none
}

/// The cached verdict on a key, so that a frequent key is looked up once.
struct JSONVerdict {
    var hash: UInt64 = 0
    var start = 0
    var count = 0
    var role = JSONRole.none
}

extension SecretScanner {
    /// Objects and arrays nested deeper than this are masked whole.
    private static let maximumDepth = 512

    func openFrame(at position: Int, end: Int, depth: Int) -> Int {
        guard depth < Self.maximumDepth else {
            let valueEnd = skipValue(from: position, to: end)
            replace(position..<valueEnd, with: .quoted)
            return valueEnd
        }
        var frame = JSONFrame(start: position)
        if let parent = frames.last { frame.containsKeys = parent.containsKeys || parent.keysStart == position }
        frames.append(frame)
        return position + 1
    }

    func closeFrame(at end: Int) {
        let frame = frames.removeLast()
        maskNamedValue(of: frame)
        guard let parent = frames.indices.last, frames[parent].valueStart == frame.start else { return }
        frames[parent].value = frame.start..<end
    }

    /// Masks the value of an object that names it as a secret, in either order.
    private func maskNamedValue(of frame: JSONFrame) {
        guard !frame.name.isEmpty, !frame.value.isEmpty else { return }
        guard
            isSecretKey(frame.name, isEscaped: frame.isNameEscaped)
                || frame.containsKeys && bytes[frame.value.lowerBound] == Self.quote
        else { return }
        // The type of an event, such as `session.updated`, says nothing about its contents.
        guard
            !frame.isTypeName
                || bytes[frame.value.lowerBound] == Self.quote && !SecretNames.isAmbiguous(slice(frame.name))
        else { return }
        if !isHarmless(frame.value, named: frame.name) { replace(frame.value, with: .quoted) }
    }

    /// Masks a string, or the value of the member whose key it is.
    ///
    /// - Returns: The offset at which to continue.
    func maskQuoted(at start: Int, in range: Range<Int>, outer: Int) -> Int {
        let end = range.upperBound
        let string = skipString(from: start, to: end)
        let next = min(string.end + 1, end)
        var colon = skipSpace(from: next, to: end)
        if isHashableKey(at: start, in: range), colon < end, bytes[colon] == UInt8(ascii: ")") { colon += 1 }
        guard colon < end, bytes[colon] == UInt8(ascii: ":") else {
            if closesNothing(string, before: end) {
                // Each mark within the string may begin the same one.
                spend(string.end - start)
                guard budget < 0 else { return start + 1 }
                replace(start + 1..<string.end, with: .bare)
                return next
            }
            if colon < end, bytes[colon] == UInt8(ascii: ";"),
                let next = maskSerializedString(after: start + 1..<string.end, at: colon, in: range)
            {
                return next
            }
            if let pairEnd = maskSecond(after: start + 1..<string.end, string, at: colon, in: range) { return pairEnd }
            maskContent(start + 1..<string.end, string)
            return next
        }
        // A URL, a line or JSON may be a key.
        let key = start + 1..<string.end
        maskContent(key, string)
        let value = skipSpace(from: colon + 1, to: end)
        guard value < end else { return end }
        let role = role(of: key, isEscaped: string.isEscaped)
        if frames.count > outer { record(key, role, value, end) }
        guard role == .secret else { return value }
        if let next = endOfHarmlessValue(from: value, to: end, named: key) { return next }
        let valueEnd = skipValue(from: value, to: end)
        replace(value..<valueEnd, with: .quoted)
        return valueEnd
    }

    /// `true` if a quotation mark opens a string instead of closing this one, since a name or a value directly follows.
    ///
    /// After an unpaired mark, the text between strings would otherwise be taken for strings, and their names for text.
    private func closesNothing(_ string: QuotedString, before end: Int) -> Bool {
        let next = string.end + 1
        guard next < end else { return false }
        let isValue = bytes[string.end - 1] == UInt8(ascii: "=") && ASCII.isOne(of: "/+", bytes[next])
        return isValue || Self.isFieldNameByte(bytes[next])
    }

    /// Masks the second of two strings in parentheses, or in an array within an array, if the first is the name of a
    /// secret.
    ///
    /// - Returns: The offset after the second string; `nil` if there is no such pair.
    private func maskSecond(
        after name: Range<Int>, _ string: QuotedString, at comma: Int, in range: Range<Int>
    ) -> Int? {
        let end = range.upperBound
        guard comma < end, bytes[comma] == UInt8(ascii: ","), 1...128 ~= name.count else { return nil }
        let isPair = beginsPair(before: name.lowerBound - 1, in: range)
        let isOption = bytes[name.lowerBound] == UInt8(ascii: "-") && (isOption(name) || isUserOption(name))
        guard isPair || isOption || isCredentialField(name), isPlainName(name) else { return nil }
        let value = skipSpace(from: comma + 1, to: end)
        guard value < end, bytes[value] == Self.quote else { return nil }
        let valueEnd = skipString(from: value, to: end).end
        let close = skipSpace(from: min(valueEnd + 1, end), to: end)
        // The key of another member.
        if close < end, bytes[close] == UInt8(ascii: ":") { return nil }
        let isLast = close < end && (bytes[close] == UInt8(ascii: ")") || bytes[close] == UInt8(ascii: "]"))
        guard isPair && isLast || isOption || isCredentialValue(value + 1..<valueEnd) else { return nil }
        guard isSecretKey(name, isEscaped: string.isEscaped) || isUserOption(name) else { return nil }
        maskContent(name, string)
        replace(value + 1..<valueEnd, with: .bare)
        return valueEnd + 1
    }

    /// Masks the second of two strings in Python's form, `('password', 'x')` or `(b'password', b'x')`, if the first is the
    /// name of a secret.
    ///
    /// - Returns: The offset at which to continue.
    func maskPythonPair(at quote: Int, in range: Range<Int>) -> Int {
        let end = range.upperBound
        let start = quote > range.lowerBound && Self.isStringPrefix(bytes[quote - 1]) ? quote - 1 : quote
        guard beginsPair(before: start, in: range),
            let nameEnd = firstIndex(of: bytes[quote], in: quote + 1..<min(quote + 129, end)),
            isPlainName(quote + 1..<nameEnd), isSecretInProse(quote + 1..<nameEnd, isItem: false)
        else { return quote + 1 }
        let comma = skipSpace(from: nameEnd + 1, to: end)
        guard comma < end, bytes[comma] == UInt8(ascii: ",") else { return quote + 1 }
        var value = skipSpace(from: comma + 1, to: end)
        if value < end, Self.isStringPrefix(bytes[value]) { value += 1 }
        guard value < end, bytes[value] == bytes[quote] || bytes[value] == Self.quote else { return quote + 1 }
        var valueEnd = value + 1
        while valueEnd < end, bytes[valueEnd] != bytes[value] { valueEnd += bytes[valueEnd] == Self.backslash ? 2 : 1 }
        // Cut text has no end.
        replace(value + 1..<min(valueEnd, end), with: .bare)
        return min(valueEnd + 1, end)
    }

    /// `true` if text may be a name, rather than a URL, a header line or JSON that contains one.
    func isPlainName(_ text: Range<Int>) -> Bool {
        guard text.count <= 128 else { return false }
        return text.allSatisfy { index in
            if bytes[index] == UInt8(ascii: ":") {
                return index + 1 < text.upperBound && !ASCII.isBlank(bytes[index + 1])
            }
            return !ASCII.isOne(of: "/?=@{}<>&\"", bytes[index])
        }
    }

    /// `true` for a letter or a sign before a quotation mark: of bytes, Unicode or raw text in Python, `@` in Objective-C.
    static func isStringPrefix(_ byte: UInt8) -> Bool { ASCII.isOne(of: "bBuUrR@#", byte) }

    /// `true` if a pair of strings begins at a position: in parentheses, or in an array within an array.
    private func beginsPair(before position: Int, in range: Range<Int>) -> Bool {
        guard let open = indexBefore(position, in: range) else { return false }
        guard bytes[open] == UInt8(ascii: "[") else { return bytes[open] == UInt8(ascii: "(") }
        guard let outer = indexBefore(open, in: range) else { return false }
        return bytes[outer] == UInt8(ascii: "[") || bytes[outer] == UInt8(ascii: ",")
    }

    /// The offset of the last byte before a position that is no white space; `nil` after 64 bytes or at the start.
    private func indexBefore(_ position: Int, in range: Range<Int>) -> Int? {
        var index = position - 1
        while index >= range.lowerBound, position - index <= 64 {
            if !Self.isSpace(bytes[index]) { return index }
            index -= 1
        }
        return nil
    }

    /// `true` for a key of a Swift dictionary with keys of several types: `[AnyHashable("password"): …]`.
    private func isHashableKey(at start: Int, in range: Range<Int>) -> Bool {
        let type = start - 12
        return type >= range.lowerBound && bytes[start - 1] == UInt8(ascii: "(")
            && begins(with: "AnyHashable(", at: type, to: start)
    }

    // MARK: Names and values

    static let nameKeys: [StaticString] = [
        "name", "key", "keyname", "field", "header", "param", "parameter", "property", "id", "label", "path",
        "attribute",
    ]
    private static let typeKeys: [StaticString] = ["type", "kind"]
    static let valueKeys: [StaticString] = ["value", "values", "val", "content", "data", "text", "attributevalue"]

    func isOne(of words: [StaticString], _ key: Range<Int>) -> Bool {
        words.contains { ASCII.equalIgnoringCase(slice(key), $0) }
    }

    /// Records a possible name or value of an object, which is decided at the object's end.
    private func record(_ key: Range<Int>, _ role: JSONRole, _ value: Int, _ end: Int) {
        let frame = frames.count - 1
        if bytes[value] == UInt8(ascii: "["), isOne(of: ["keys"], key) { frames[frame].keysStart = value }
        guard role != .none else { return }
        if role == .value {
            if bytes[value] == UInt8(ascii: "{") || bytes[value] == UInt8(ascii: "[") {
                frames[frame].valueStart = value
            } else {
                // Malformed values may nest, and each would be read by those around it.
                let valueEnd = budget >= 0 ? skipValue(from: value, to: end) : end
                spend(valueEnd - value)
                frames[frame].value = value..<valueEnd
            }
        } else if bytes[value] == Self.quote, role == .name || isOne(of: Self.nameKeys, key) {
            let string = skipString(from: value, to: end)
            guard string.end - value <= 128 else { return }
            // An object may have a name and a type, of which either may tell.
            let known = frames[frame].name
            if !known.isEmpty, isSecretKey(known, isEscaped: frames[frame].isNameEscaped) { return }
            frames[frame].name = value + 1..<string.end
            frames[frame].isNameEscaped = string.isEscaped
            frames[frame].isTypeName = isOne(of: Self.typeKeys, key)
        }
    }

    /// The role of a member, by its key.
    private func role(of key: Range<Int>, isEscaped: Bool) -> JSONRole {
        guard !key.isEmpty else { return .none }
        // In short text, keys seldom repeat.
        guard bytes.count > 1024 else { return newRole(of: key, isEscaped: isEscaped) }
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for index in key { hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01B3 }
        if verdicts.isEmpty { verdicts = Array(repeating: JSONVerdict(), count: 256) }
        // The upper half alone is nearly the same for all short keys.
        let slot = Int(truncatingIfNeeded: hash ^ hash >> 32) & (verdicts.count - 1)
        if verdicts[slot].hash == hash, verdicts[slot].count == key.count {
            let known = verdicts[slot]
            var index = 0
            while index < key.count, bytes[known.start + index] == bytes[key.lowerBound + index] { index += 1 }
            if index == key.count { return known.role }
        }
        let role = newRole(of: key, isEscaped: isEscaped)
        verdicts[slot] = JSONVerdict(hash: hash, start: key.lowerBound, count: key.count, role: role)
        return role
    }

    private func newRole(of key: Range<Int>, isEscaped: Bool) -> JSONRole {
        if isSecretKey(key, isEscaped: isEscaped) { return .secret }
        if isOne(of: Self.valueKeys, key) { return .value }
        return isOne(of: Self.nameKeys, key) || isOne(of: Self.typeKeys, key) ? .name : .none
    }

    private func isSecretKey(_ key: Range<Int>, isEscaped: Bool) -> Bool {
        guard isEscaped else { return isSecretWord(key) }
        return isSecret(String(decoding: Self.decoded(bytes[key], by: JSONEscapes.remove), as: UTF8.self))
    }

    // MARK: Strings and values

    /// A string: the offset of its closing quote or of the end, and whether its content needs a scan.
    private struct QuotedString {
        var end: Int
        var isEscaped = false
        var mayTell = false
    }

    private func skipString(from start: Int, to end: Int) -> QuotedString {
        var string = QuotedString(end: start + 1)
        while string.end < end {
            switch bytes[string.end] {
            case Self.quote: return string
            case Self.backslash:
                string.isEscaped = true
                string.end += 1
                guard string.end < end, !string.mayTell else { break }
                string.mayTell = escapeMayTell(at: string.end, to: end)
            case UInt8(ascii: "="), UInt8(ascii: ":"), UInt8(ascii: "<"), UInt8(ascii: "&"), UInt8(ascii: "'"),
                UInt8(ascii: "%"):
                string.mayTell = true
            case UInt8(ascii: "-"):
                if string.end + 1 < end, bytes[string.end + 1] == UInt8(ascii: "-") { string.mayTell = true }
            case 0x20: if scheme(before: string.end, from: start) != nil { string.mayTell = true }
            default: break
            }
            string.end += 1
        }
        string.end = max(min(string.end, end), min(start + 1, end))
        return string
    }

    /// `true` if an escape may stand for a byte that tells, or for a part of one.
    ///
    /// Line feeds and slashes tell nothing, and characters beyond ASCII neither.
    private func escapeMayTell(at position: Int, to end: Int) -> Bool {
        switch bytes[position] {
        case UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"), Self.slash: return false
        case UInt8(ascii: "u"):
            guard position + 4 < end, ASCII.hexDigit(bytes[position + 1]) != nil else { return true }
            let isASCII =
                bytes[position + 1] == UInt8(ascii: "0") && bytes[position + 2] == UInt8(ascii: "0")
                && bytes[position + 3] < UInt8(ascii: "8")
            return isASCII
        default: return true
        }
    }

    private func maskContent(_ content: Range<Int>, _ string: QuotedString) {
        guard string.mayTell else { return }
        if string.isEscaped {
            maskEscaped(content)
        } else {
            isForm(content) ? maskItems(content, separator: UInt8(ascii: "&"), isForm: true) : scan(content)
        }
    }

    /// The offset after a value, or the end; parentheses are those of a Swift description.
    func skipValue(from start: Int, to end: Int) -> Int {
        var position = start
        var depth = 0
        while position < end {
            switch bytes[position] {
            case Self.quote:
                var string = skipString(from: position, to: end)
                while depth == 0, closesNothing(string, before: end) { string = skipString(from: string.end, to: end) }
                position = min(string.end + 1, end)
                if depth == 0 { return position }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "("): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ")"):
                if depth == 0 { return position }
                depth -= 1
                if depth == 0 { return position + 1 }
            case UInt8(ascii: ","): if depth == 0 { return position }
            default: break
            }
            position += 1
        }
        return position
    }
}
