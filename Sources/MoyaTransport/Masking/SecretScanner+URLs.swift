extension SecretScanner {
    // MARK: A URL

    /// Masks a URL: its user information, and its parameters, query and fragment item by item.
    func maskURL() {
        let fragment = firstIndex(of: UInt8(ascii: "#"), in: 0..<bytes.count) ?? bytes.count
        let query = firstIndex(of: UInt8(ascii: "?"), in: 0..<fragment) ?? fragment
        maskItems(0..<query, separator: UInt8(ascii: ";"), after: maskAuthority(before: query))
        // Authorization servers return tokens in both (RFC 6749 section 4.2.2).
        maskItems(min(query + 1, fragment)..<fragment, separator: UInt8(ascii: "&"))
        maskItems(min(fragment + 1, bytes.count)..<bytes.count, separator: UInt8(ascii: "&"))
    }

    /// Masks the user information of a URL, and returns the end of its authority, or 0.
    private func maskAuthority(before query: Int) -> Int {
        if let start = hostWithoutSlashes {
            guard let at = lastIndex(of: UInt8(ascii: "@"), in: start..<max(query, start)) else { return 0 }
            replace(start..<at, with: .bare)
            return at
        }
        let pairs = 0..<max(query - 1, 0)
        guard let slashes = pairs.first(where: { Self.isSlash(bytes[$0]) && Self.isSlash(bytes[$0 + 1]) }) else {
            return maskUserWithoutSlashes(before: query)
        }
        let rest = slashes + 2..<bytes.count
        let authority = rest.lowerBound..<(rest.first { Self.endsAuthority(bytes[$0]) } ?? rest.upperBound)
        maskUserInformation(authority, lastAt: lastIndex(of: UInt8(ascii: "@"), in: rest))
        return authority.upperBound
    }

    /// Masks a user name and a password before a host, in a URL without two slashes: `me:word@host/`,
    /// `ftp:/me:word@host`.
    private func maskUserWithoutSlashes(before query: Int) -> Int {
        guard let at = lastIndex(of: UInt8(ascii: "@"), in: 0..<query),
            let colon = firstIndex(of: UInt8(ascii: ":"), in: 0..<at),
            firstIndex(of: Self.slash, in: 0..<colon) == nil, !isOne(of: Self.schemesOfAddresses, 0..<colon)
        else { return 0 }
        replace(0..<at, with: .bare)
        return at
    }

    /// Schemes of URLs that contain the address of a person (RFC 6068, RFC 3261, RFC 5122, RFC 7565).
    private static let schemesOfAddresses: [StaticString] = ["acct", "mailto", "sip", "sips", "xmpp"]

    /// The start of what may be the host of a URL whose scheme is not followed by two slashes: `http:/me:word@host`.
    private var hostWithoutSlashes: Int? {
        guard let colon = firstIndex(of: UInt8(ascii: ":"), in: 0..<min(bytes.count, 6)) else { return nil }
        let scheme = String(decoding: slice(0..<colon), as: UTF8.self)
        guard ["http", "https"].contains(where: { ASCII.equalIgnoringCase($0, scheme) }) else { return nil }
        var start = colon + 1
        while start < bytes.count, Self.isSlash(bytes[start]) { start += 1 }
        return start == colon + 3 ? nil : start
    }

    // MARK: URLs in text

    /// Masks the user information after two slashes without a scheme: `//me:word@host/`.
    ///
    /// - Returns: The offset at which to continue.
    func maskAuthority(afterSlash slash: Int, in range: Range<Int>) -> Int {
        let start = slash + 2
        guard start < range.upperBound, bytes[slash + 1] == Self.slash else { return slash + 1 }
        if slash > range.lowerBound, ASCII.isOne(of: ":/", bytes[slash - 1]) { return start }
        var end = start
        while end < range.upperBound, bytes[end] > 0x20, bytes[end] != Self.quote, !Self.endsAuthorityInText(bytes[end])
        {
            end += 1
        }
        // A comment may contain an address.
        guard let at = lastIndex(of: UInt8(ascii: "@"), in: start..<end),
            firstIndex(of: UInt8(ascii: ":"), in: start..<at) != nil
        else { return start }
        maskUserInformation(start..<end, lastAt: lastAt(from: start, to: range.upperBound))
        return end
    }

    /// `true` for a slash; parsers read a backslash as one.
    static func isSlash(_ byte: UInt8) -> Bool { byte == slash || byte == backslash }

    // MARK: Percent-encoding

    /// Masks the part of a path or text around a percent sign if it contains a secret once decoded.
    ///
    /// - Returns: The offset at which to continue.
    func maskPercentEncodedText(at percent: Int, in range: Range<Int>) -> Int {
        guard percent >= percentEnd, ASCII.byte(ofHexDigits: bytes[percent + 1..<range.upperBound]) != nil else {
            return percent + 1
        }
        var start = percent
        while start > max(range.lowerBound, percentEnd), !Self.endsSegment(bytes[start - 1]) { start -= 1 }
        var end = percent + 1
        while end < range.upperBound, !Self.endsSegment(bytes[end]) { end += 1 }
        percentEnd = end
        // A name before an equals sign, which follows.
        if end < range.upperBound, bytes[end] == UInt8(ascii: "=") { return percent + 1 }
        maskPercentEncoded(start..<end)
        return percent + 1
    }

    /// `true` for a byte that separates parts of a URL, or of text.
    private static func endsSegment(_ byte: UInt8) -> Bool {
        byte <= 0x20 || ASCII.isOne(of: "\"'<>()[]{}/?#&;=:,@", byte)
    }

    /// Masks all of a value that contains a secret, even percent-encoded repeatedly.
    func maskPercentEncoded(_ range: Range<Int>) {
        guard firstIndex(of: UInt8(ascii: "%"), in: range) != nil else { return }
        percentEnd = max(percentEnd, range.upperBound)
        guard budget >= 0 else { return replace(range, with: .bare) }
        var text = Self.decoded(bytes[range], by: Self.removePercents)
        for _ in 0..<Self.maximumLevel {
            guard masked(text, { $0.maskBody() }) == nil else { return replace(range, with: .bare) }
            let decoded = Self.decoded(text, by: Self.removePercents)
            guard decoded.count < text.count else { return }
            text = decoded
        }
        replace(range, with: .bare)
    }

    static func removePercents(
        from text: Slice<UnsafeBufferPointer<UInt8>>, into decoded: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        var (index, count) = (text.startIndex, 0)
        while index < text.endIndex {
            if text[index] == UInt8(ascii: "%"), let byte = ASCII.byte(ofHexDigits: text[(index + 1)...]) {
                decoded[count] = byte
                index += 3
            } else {
                decoded[count] = text[index]
                index += 1
            }
            count += 1
        }
        return count
    }
}
