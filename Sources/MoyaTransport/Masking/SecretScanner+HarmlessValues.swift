extension SecretScanner {
    /// The offset after a value that is no secret under any name, or a number under a name that counts; `nil` if the
    /// value is another.
    ///
    /// - Parameter isLine: `true` if the value ends with its line, so that a blank is a part of it.
    func endOfHarmlessValue(from start: Int, to end: Int, named name: Range<Int>, isLine: Bool = false) -> Int? {
        guard start < end,
            let valueEnd = endOfWord(from: start, to: end) ?? endOfCount(from: start, to: end, named: name)
        else { return nil }
        var next = valueEnd
        while isLine, next < end, ASCII.isBlank(bytes[next]) { next += 1 }
        guard next < end else { return valueEnd }
        let isEnd = isLine ? Self.isLineEnd(bytes[next]) : Self.isSpace(bytes[next])
        return isEnd || ASCII.isOne(of: ",;&)}]\"'<", bytes[next]) ? valueEnd : nil
    }

    /// The offset after `true`, `false` or a null value.
    private func endOfWord(from start: Int, to end: Int) -> Int? {
        let words: [StaticString]
        switch bytes[start] {
        case UInt8(ascii: "t"), UInt8(ascii: "T"): words = ["true", "True"]
        case UInt8(ascii: "f"), UInt8(ascii: "F"): words = ["false", "False"]
        case UInt8(ascii: "n"), UInt8(ascii: "N"): words = ["null", "nil", "None"]
        default: return nil
        }
        return words.first { begins(with: $0, at: start, to: end) }.map { start + $0.utf8CodeUnitCount }
    }

    /// The offset after a number if its name counts, or if it is the code of an error; a one-time code has four digits
    /// or more.
    private func endOfCount(from start: Int, to end: Int, named name: Range<Int>) -> Int? {
        let isNegative = bytes[start] == UInt8(ascii: "-")
        let digits = start + (isNegative ? 1 : 0)
        var position = digits
        while position < end, ASCII.isDigit(bytes[position]) { position += 1 }
        guard position > digits else { return nil }
        if isOne(of: ["code"], name), isNegative || position - digits <= 3 { return position }
        return SecretNames.isCount(slice(name)) ? position : nil
    }

    /// `true` if all of a value is no secret.
    func isHarmless(_ value: Range<Int>, named name: Range<Int>) -> Bool {
        endOfHarmlessValue(from: value.lowerBound, to: value.upperBound, named: name) == value.upperBound
    }
}

extension SecretMask {
    /// `true` if the value of a header field is no secret, whatever the field's name.
    static func isHarmless(_ value: String, ofField name: String) -> Bool {
        var text = name + value
        let count = name.utf8.count
        return text.withUTF8 { bytes in
            let scanner = SecretScanner(bytes) { _ in false }
            return scanner.isHarmless(count..<bytes.count, named: 0..<count)
        }
    }
}
