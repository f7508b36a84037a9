import Foundation

/// The status line and header section of a response, kept as the bytes that arrived and parsed on demand.
public struct TransportResponseHead: Sendable {
    /// The forms in which fields are given.
    private enum Fields {
        /// The header section: field lines ended by LF or CRLF, without the status line and the final empty line.
        case section([UInt8])
        case list([HTTPField])
        /// A Content-Length, which is the only field.
        case length
    }

    /// The status code (RFC 9110 section 15).
    public let status: Int
    /// The protocol version as Foundation spells it: `HTTP/1.1`, `HTTP/2`.
    public let version: String
    /// The length in Content-Length, if present and a number; read once, since every layer asks for it.
    public let contentLength: Int64?
    private let form: Fields
    /// One bit per field name, which rejects most missing names without a search.
    private let names: UInt64

    /// Makes a head from a status and fields.
    public init(status: Int, version: String = "HTTP/1.1", fields: [HTTPField] = []) {
        self.status = status
        self.version = version
        form = .list(fields)
        contentLength = Self.contentLength(in: fields)
        names = 0
    }

    /// Makes a head whose only field is a Content-Length, which is written out on demand.
    package init(status: Int, contentLength: Int64) {
        self.status = status
        version = "HTTP/1.1"
        form = .length
        self.contentLength = contentLength
        names = 0
    }

    /// Makes a head from a status and the received header section.
    ///
    /// - Parameters:
    ///   - status: The status code.
    ///   - version: The version in the status line.
    ///   - section: Field lines, each ended by LF or CRLF. Lines without a colon, and lines whose name is not a token
    ///     (RFC 9110 section 5.1), are ignored; a line that begins with white space continues the previous one (RFC
    ///     9112 section 5.2).
    public init(status: Int, version: String, section: [UInt8]) {
        self.status = status
        self.version = version
        form = .section(section)
        (names, contentLength) = Self.summary(of: section)
    }

    /// Every field line in the order of arrival.
    ///
    /// Values of a header section are decoded as UTF-8 or, if that is invalid, as Latin-1, with a space in place of
    /// each control character except tabs (RFC 9110 section 5.5). A `Set-Cookie` with such a character is omitted: it
    /// sets no cookie (RFC 6265bis section 5.6). Fields from a list, such as those of `URLSession`, stay as given.
    public var fields: [HTTPField] {
        switch form {
        case .list(let fields): return fields
        case .length: return [HTTPField(name: "Content-Length", value: String(contentLength ?? 0))]
        case .section(let section):
            var fields: [HTTPField] = []
            Self.forEachLine(of: section) { line in
                guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return true }
                let (name, value) = (UnsafeBufferPointer(rebasing: line[..<colon]), Self.value(of: line, after: colon))
                guard name.allSatisfy(ASCII.isTokenByte) else { return true }
                guard !Self.isSetCookie(name) || value.allSatisfy(ASCII.isFieldByte) else { return true }
                fields.append(HTTPField(name: Self.text(name), value: Self.text(value)))
                return true
            }
            return fields
        }
    }

    /// The value of the first field with a name, ignoring case.
    public func value(for name: StaticString) -> String? {
        let wanted = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        switch form {
        case .list(let fields):
            return fields.first { Self.isEqual($0.name, wanted) }?.value
        case .length:
            return Self.isEqual("content-length", wanted) ? String(contentLength ?? 0) : nil
        case .section(let section):
            guard let first = wanted.first, names & Self.bit(first, length: wanted.count) != 0 else {
                return nil
            }
            var found: String?
            Self.forEachLine(of: section) { line in
                guard line.count > wanted.count, line[wanted.count] == UInt8(ascii: ":"),
                    ASCII.hasPrefix(line, wanted)
                else { return true }
                found = Self.text(Self.value(of: line, after: wanted.count))
                return false
            }
            return found
        }
    }

    /// The values of every field with a name, ignoring case, in the order of arrival.
    public func values(for name: String) -> [String] {
        fields.filter { $0.name.utf8.elementsEqual(name.utf8, by: Self.sameLetter) }.map(\.value)
    }

    /// The codings in Content-Encoding in lower case, in the order in which they were applied, without `identity` (RFC
    /// 9110 section 8.4).
    package var contentCodings: [String] {
        guard value(for: "content-encoding") != nil else { return [] }
        return values(for: "content-encoding").flatMap { $0.split(separator: ",") }
            .map { ASCII.trimmed($0).lowercased() }
            .filter { !$0.isEmpty && $0 != "identity" }
    }

    /// `true` if transports decode the body, so that its length and ranges are not those of the delivered bytes; a body in
    /// a coding that they do not know is delivered unchanged.
    package var isDecoded: Bool {
        let codings = contentCodings
        return !codings.isEmpty && codings.allSatisfy(["gzip", "x-gzip", "deflate", "br", "zstd"].contains)
    }

    /// Calls the closure with each line, folded ones included, until it returns `false`.
    private static func forEachLine(of section: [UInt8], _ body: (UnsafeBufferPointer<UInt8>) -> Bool) {
        section.withUnsafeBufferPointer { bytes in
            var start = 0
            while start < bytes.count {
                var end = endOfLine(in: bytes, from: start)
                while end + 1 < bytes.count, ASCII.isBlank(bytes[end + 1]) {
                    end = endOfLine(in: bytes, from: end + 1)
                }
                guard body(UnsafeBufferPointer(rebasing: bytes[start..<end])) else { return }
                start = end + 1
            }
        }
    }

    private static func endOfLine(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        guard let base = bytes.baseAddress,
            let end = memchr(base + start, Int32(UInt8(ascii: "\n")), bytes.count - start)
        else { return bytes.count }
        return UnsafeRawPointer(base).distance(to: end)
    }

    /// The value of a field line, without the white space around it.
    private static func value(of line: UnsafeBufferPointer<UInt8>, after colon: Int) -> UnsafeBufferPointer<UInt8> {
        var (first, last) = (colon + 1, line.count)
        while first < last, ASCII.isSpace(line[first]) { first += 1 }
        while last > first, ASCII.isSpace(line[last - 1]) { last -= 1 }
        return UnsafeBufferPointer(rebasing: line[first..<last])
    }

    private static func isEqual(_ name: String, _ wanted: UnsafeBufferPointer<UInt8>) -> Bool {
        name.utf8.count == wanted.count && name.utf8.elementsEqual(wanted, by: sameLetter)
    }

    /// The bits of the names in a section, and its first Content-Length.
    private static func summary(of section: [UInt8]) -> (names: UInt64, contentLength: Int64?) {
        let name: StaticString = "content-length"
        let wanted = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        var names: UInt64 = 0
        var contentLength: Int64??
        forEachLine(of: section) { line in
            var colon = 0
            while colon < line.count, line[colon] != UInt8(ascii: ":") { colon += 1 }
            guard colon > 0, colon < line.count else { return true }
            names |= bit(line[0], length: colon)
            if colon == wanted.count, contentLength == nil, ASCII.hasPrefix(line, wanted) {
                contentLength = .some(ASCII.number(value(of: line, after: colon)))
            }
            return true
        }
        return (names, contentLength ?? nil)
    }

    private static func contentLength(in fields: [HTTPField]) -> Int64? {
        let field = fields.first { ASCII.equalIgnoringCase($0.name, "content-length") }
        return field.flatMap { ASCII.number($0.value.utf8) }
    }

    private static func bit(_ first: UInt8, length: Int) -> UInt64 {
        1 &<< UInt64((Int(ASCII.lowercased(first)) &* 7 &+ length) & 63)
    }

    private static func isSetCookie(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        name.count == 10 && name.elementsEqual("set-cookie".utf8, by: sameLetter)
    }

    private static func sameLetter(_ one: UInt8, _ other: UInt8) -> Bool {
        ASCII.lowercased(one) == ASCII.lowercased(other)
    }

    private static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        guard bytes.allSatisfy(ASCII.isFieldByte) else {
            return bytes.map { ASCII.isFieldByte($0) ? $0 : UInt8(ascii: " ") }.withUnsafeBufferPointer(text)
        }
        return String(validUTF8: bytes) ?? String(bytes.lazy.map { Character(Unicode.Scalar($0)) })
    }
}
