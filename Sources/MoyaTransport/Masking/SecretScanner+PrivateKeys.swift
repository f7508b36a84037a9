extension SecretScanner {
    /// Masks a private key in the textual encoding of RFC 7468, up to its end or the end of the text.
    ///
    /// - Returns: The offset at which to continue.
    func maskPrivateKey(at hyphen: Int, in range: Range<Int>) -> Int {
        let end = range.upperBound
        let start = hyphen + Self.keyBeginning.utf8CodeUnitCount
        guard hyphen + 1 < end, bytes[hyphen + 1] == UInt8(ascii: "-") else { return hyphen + 1 }
        guard begins(with: Self.keyBeginning, at: hyphen, to: end),
            let label = bytes[start..<min(start + 64, end)].firstIndex(of: UInt8(ascii: "-")),
            isPrivateKey(start..<label)
        else { return endOfHyphens(from: hyphen, to: end) }
        let key = endOfHyphens(from: label, to: end)
        var keyEnd = key
        while let next = firstIndex(of: UInt8(ascii: "-"), in: keyEnd..<end) {
            keyEnd = next
            if begins(with: "-----END", at: next, to: end) { break }
            keyEnd = endOfHyphens(from: next, to: end)
        }
        if !begins(with: "-----END", at: keyEnd, to: end) { keyEnd = end }
        replace(key..<keyEnd, with: .bare)
        return endOfHyphens(from: keyEnd, to: end)
    }

    private static let keyBeginning: StaticString = "-----BEGIN"

    /// `true` if a label names a private key: `RSA PRIVATE KEY`, `PGP PRIVATE KEY BLOCK`, or `PRIVATE+KEY` in a form.
    private func isPrivateKey(_ label: Range<Int>) -> Bool {
        label.contains { begins(with: "PRIVATE", at: $0, to: label.upperBound) }
            && label.contains { begins(with: "KEY", at: $0, to: label.upperBound) }
    }

    // MARK: Credentials in prose

    /// Masks the credentials after the name of their scheme: `Bearer x`, `Basic x` (RFC 9110 section 11.4).
    ///
    /// Words are shorter than such credentials, or have no digits.
    ///
    /// - Returns: The offset at which to continue.
    func maskCredentials(at blank: Int, in range: Range<Int>) -> Int {
        guard let scheme = scheme(before: blank, from: range.lowerBound),
            scheme == range.lowerBound || !Self.isFieldNameByte(bytes[scheme - 1])
        else { return blank + 1 }
        var end = blank + 1
        while end < range.upperBound, Self.isFieldNameByte(bytes[end]) || ASCII.isOne(of: "._~+/=", bytes[end]) {
            end += 1
        }
        let credentials = blank + 1..<end
        let hasDigit = bytes[credentials].contains(where: ASCII.isDigit)
        guard credentials.count >= 16, hasDigit else { return blank + 1 }
        replace(credentials, with: .bare)
        return end
    }

    /// The start of the name of a scheme before a blank; `nil` for another word.
    func scheme(before blank: Int, from start: Int) -> Int? {
        let last = blank > start ? bytes[blank - 1] | 0x20 : 0
        guard last == UInt8(ascii: "r") || last == UInt8(ascii: "c") else { return nil }
        let scheme = max(start, blank - (last == UInt8(ascii: "r") ? 6 : 5))..<blank
        return isOne(of: ["bearer", "basic"], scheme) ? scheme.lowerBound : nil
    }

    private func endOfHyphens(from position: Int, to end: Int) -> Int {
        var position = position
        while position < end, bytes[position] == UInt8(ascii: "-") { position += 1 }
        return position
    }
}
