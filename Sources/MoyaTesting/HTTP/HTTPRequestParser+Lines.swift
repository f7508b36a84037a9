import MoyaTransport

extension HTTPRequestParser {
    /// The lines of a section, without line ends and without the empty line.
    static func lines(of section: [UInt8]) -> [String] {
        section.split(separator: UInt8(ascii: "\n")).map(text).filter { !$0.isEmpty }
    }

    /// A line's text without a trailing carriage return: UTF-8, or Latin-1 if that is invalid.
    static func text(_ line: ArraySlice<UInt8>) -> String {
        let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        return String(validUTF8: line) ?? String(line.lazy.map { Character(Unicode.Scalar($0)) })
    }

    /// Reads field lines (RFC 9112 section 5).
    static func fields(of lines: some Sequence<String>) throws(TestSupportError) -> LoopbackFields {
        var fields = LoopbackFields()
        for line in lines {
            guard let colon = line.firstIndex(of: ":"), colon > line.startIndex else {
                throw .malformedRequest("a header line has no name")
            }
            let name = line[..<colon]
            // Messages contain no other part of a line, which may be a secret.
            // White space around a name, or a folded line, allows request smuggling between two parsers.
            let word = name.prefix { $0 != " " && $0 != "\t" }
            guard word.endIndex == name.endIndex else {
                throw .malformedRequest(
                    word.isEmpty ? "white space before a header line" : "white space after '\(word)' in a header line")
            }
            fields.append(String(name), ASCII.trimmed(line[line.index(after: colon)...]))
        }
        return fields
    }

    /// The phase that follows the head, by the length of the body (RFC 9112 section 6.3).
    static func phaseAfterHead(_ fields: LoopbackFields) throws(TestSupportError) -> Phase {
        if fields.lists("chunked", in: "Transfer-Encoding") { return .chunkSize }
        let lengths = Set(fields.values(for: "Content-Length"))
        guard let stated = lengths.first else { return .head }
        guard lengths.count == 1, let length = size(stated, radix: 10) else {
            throw .malformedRequest("the Content-Length is \(lengths.sorted().joined(separator: " and "))")
        }
        return length == 0 ? .head : .lengthBody(remaining: length)
    }

    /// The number that digits alone state; a sign allows request smuggling between two parsers.
    static func size(_ digits: some StringProtocol, radix: Int) -> Int? {
        digits.first?.isHexDigit == true ? Int(digits, radix: radix) : nil
    }
}
