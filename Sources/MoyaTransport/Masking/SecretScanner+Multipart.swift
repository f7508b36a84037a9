extension SecretScanner {
    /// Masks the secret parts of a multipart form (RFC 7578), and the other parts by their content.
    ///
    /// - Returns: `false` if the text is not a multipart body.
    func maskMultipart(_ range: Range<Int>, depth: Int) -> Bool {
        guard let start = firstDelimiter(in: range) else { return false }
        // A preamble may be any text (RFC 2046 section 5.1.1).
        if start > range.lowerBound { scan(range.lowerBound..<start) }
        let delimiter = start..<lineEnd(from: start, to: range.upperBound)
        // It may be any other text.
        scan(delimiter)
        var part = nextLine(from: delimiter.upperBound, to: range.upperBound)
        while part < range.upperBound {
            let end = nextDelimiter(slice(delimiter), from: part, to: range.upperBound)
            maskPart(part..<end, depth: depth)
            // Skip the line break before the delimiter, and the delimiter.
            part = nextLine(from: nextLine(from: end, to: range.upperBound), to: range.upperBound)
        }
        return true
    }

    /// The maximum number of bytes of a preamble that is recognized.
    private static let longestPreamble = 4096

    /// The offset of the first line that begins with two hyphens, and is followed by the head of a part.
    ///
    /// Other text begins with hyphens too: documents in YAML, comments in SQL, logs.
    private func firstDelimiter(in range: Range<Int>) -> Int? {
        let limit = min(range.upperBound, range.lowerBound + Self.longestPreamble)
        var line = range.lowerBound
        while line < limit {
            let end = lineEnd(from: line, to: range.upperBound)
            let next = nextLine(from: end, to: range.upperBound)
            // A boundary has at most 70 characters (RFC 2046 section 5.1.1).
            let isDelimiter = 3...80 ~= end - line && begins(with: "--", at: line, to: end)
            if isDelimiter, beginsHead(at: next, to: range.upperBound) { return line }
            line = next
        }
        return nil
    }

    /// `true` if the lines up to an empty one, or to one with hyphens, have a field whose name begins with `Content-`.
    private func beginsHead(at start: Int, to limit: Int) -> Bool {
        let end = min(limit, start + Self.longestPreamble)
        var line = start
        while line < end, !Self.isLineEnd(bytes[line]), !begins(with: "--", at: line, to: end) {
            if ASCII.equalIgnoringCase(slice(line..<min(line + 8, end)), "content-") { return true }
            line = nextLine(from: line, to: end)
        }
        return false
    }

    private func maskPart(_ part: Range<Int>, depth: Int) {
        var content = part.lowerBound
        var isSecretPart = false
        while content < part.upperBound {
            let end = lineEnd(from: content, to: part.upperBound)
            let line = content..<end
            content = nextLine(from: end, to: part.upperBound)
            if line.isEmpty { break }
            if let name = partName(in: line), isSecretName(name) { isSecretPart = true }
        }
        // Fields may span lines.
        scan(part.lowerBound..<content)
        if isSecretPart {
            replace(content..<part.upperBound, with: .bare)
        } else {
            maskBody(content..<part.upperBound, depth: depth + 1)
        }
    }

    /// The `name` parameter of `Content-Disposition`, with or without quotes.
    private func partName(in line: Range<Int>) -> Range<Int>? {
        let end = line.upperBound
        var position = line.lowerBound
        while position + 5 < end {
            if bytes[position] == Self.quote {
                position = closingQuote(from: position + 1, to: end) + 1
                continue
            }
            let isStart = position > line.lowerBound && ASCII.isOne(of: " ;\t", bytes[position - 1])
            let isName = zip(slice(position..<position + 4), "name".utf8).allSatisfy { ASCII.lowercased($0) == $1 }
            guard isStart, isName else {
                position += 1
                continue
            }
            // An extended parameter has an asterisk (RFC 8187 section 3.2).
            let isExtended = bytes[position + 4] == UInt8(ascii: "*")
            let equals = skipSpace(from: position + (isExtended ? 5 : 4), to: end)
            guard equals < end, bytes[equals] == UInt8(ascii: "=") else {
                position = equals
                continue
            }
            let start = skipSpace(from: equals + 1, to: end)
            guard start < end, bytes[start] == Self.quote else {
                return start..<(firstIndex(of: UInt8(ascii: ";"), in: start..<end) ?? end)
            }
            return start + 1..<closingQuote(from: start + 1, to: end)
        }
        return nil
    }

    /// The offset of the next quotation mark that is not escaped, or the end.
    private func closingQuote(from start: Int, to end: Int) -> Int {
        var position = start
        while position < end, bytes[position] != Self.quote { position += bytes[position] == Self.backslash ? 2 : 1 }
        return min(position, end)
    }

    /// The offset of the next line that begins with the delimiter, without the preceding line break; or the end.
    private func nextDelimiter(_ delimiter: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int) -> Int {
        var position = start
        while let lineFeed = firstIndex(of: 0x0A, in: position..<end) {
            position = lineFeed + 1
            if slice(position..<end).starts(with: delimiter) {
                return lineFeed > start && bytes[lineFeed - 1] == 0x0D ? lineFeed - 1 : lineFeed
            }
        }
        return end
    }

    private func lineEnd(from start: Int, to end: Int) -> Int {
        let lineFeed = firstIndex(of: 0x0A, in: start..<end) ?? end
        return lineFeed > start && bytes[lineFeed - 1] == 0x0D ? lineFeed - 1 : lineFeed
    }

    private func nextLine(from position: Int, to end: Int) -> Int {
        firstIndex(of: 0x0A, in: position..<end).map { $0 + 1 } ?? end
    }
}
