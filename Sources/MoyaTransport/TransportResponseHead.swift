/// The status line and header section of a response, kept as the bytes that arrived and parsed on demand.
public struct TransportResponseHead: Sendable {
    /// The status code (RFC 9110 section 15).
    public let status: Int
    /// The protocol version as Foundation spells it: `HTTP/1.1`, `HTTP/2`.
    public let version: String
    /// The header section: field lines ended by LF or CRLF, no status line, no empty line at the end.
    private let section: [UInt8]
    /// Fields given as values rather than as bytes.
    private let given: [HTTPField]
    /// A length that stands for the one field there is.
    private let statedLength: Int64?
    /// A bit for each field name, by which most missing names are recognized without a search.
    private let names: UInt64

    /// Makes a head from a status and fields.
    public init(status: Int, version: String = "HTTP/1.1", fields: [HTTPField] = []) {
        self.status = status
        self.version = version
        self.section = []
        self.given = fields
        self.statedLength = nil
        self.names = 0
    }

    /// Makes a head whose only field is a Content-Length, which is written out on demand.
    package init(status: Int, contentLength: Int64) {
        self.status = status
        self.version = "HTTP/1.1"
        self.section = []
        self.given = []
        self.statedLength = contentLength
        self.names = 0
    }

    /// Makes a head from a status and the header section as it came over the wire.
    ///
    /// - Parameters:
    ///   - status: The status code.
    ///   - version: The version as the status line has it.
    ///   - section: Field lines, each ended by LF or CRLF. Lines without a colon, and lines whose name is no token (RFC 9110
    ///     section 5.1), are passed over; a line that begins with white space continues the one before (RFC 9112 section 5.2).
    public init(status: Int, version: String, section: [UInt8]) {
        self.status = status
        self.version = version
        self.section = section
        self.given = []
        self.statedLength = nil
        self.names = Self.names(in: section)
    }

    /// Every field line in the order of arrival.
    ///
    /// Values are decoded as UTF-8 or, where they are not valid UTF-8, as Latin-1, with a space for each control character
    /// but the tab (RFC 9110 section 5.5). A `Set-Cookie` with such a character is left out: it sets nothing (RFC 6265bis
    /// section 5.6).
    public var fields: [HTTPField] {
        var fields = given
        if let statedLength { fields.append(HTTPField(name: "Content-Length", value: String(statedLength))) }
        forEachLine { name, value in
            guard !name.isEmpty, name.allSatisfy(ASCII.isTokenByte) else { return true }
            guard !Self.isSetCookie(name) || !value.contains(where: Self.isControl) else { return true }
            fields.append(HTTPField(name: Self.text(name), value: Self.text(value)))
            return true
        }
        return fields
    }

    /// The value of the first field of that name, compared without regard to case.
    public func value(for name: StaticString) -> String? {
        let wanted = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        if !given.isEmpty {
            return given.first { $0.name.utf8.elementsEqual(wanted, by: Self.sameLetter) }?.value
        }
        if let statedLength {
            let name: StaticString = "content-length"
            let known = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
            return wanted.elementsEqual(known, by: Self.sameLetter) ? String(statedLength) : nil
        }
        guard let first = wanted.first, names & Self.bit(first, length: wanted.count) != 0 else { return nil }
        var found: String?
        forEachLine { name, value in
            guard name.count == wanted.count, name.elementsEqual(wanted, by: Self.sameLetter) else { return true }
            found = Self.text(value)
            return false
        }
        return found
    }

    /// The values of every field of that name, compared without regard to case, in the order of arrival.
    public func values(for name: String) -> [String] {
        fields.filter { $0.name.utf8.elementsEqual(name.utf8, by: Self.sameLetter) }.map(\.value)
    }

    /// The length that Content-Length states, when it states one.
    public var contentLength: Int64? {
        statedLength
            ?? value(for: "content-length").flatMap { value in
                value.utf8.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") } ? Int64(value) : nil
            }
    }

    private func forEachLine(_ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Bool) {
        section.withUnsafeBufferPointer { bytes in
            var start = 0
            while start < bytes.count {
                var end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
                while end + 1 < bytes.count, bytes[end + 1] == UInt8(ascii: " ") || bytes[end + 1] == UInt8(ascii: "\t")
                {
                    end = bytes[(end + 1)...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
                }
                if let colon = bytes[start..<end].firstIndex(of: UInt8(ascii: ":")) {
                    var first = colon + 1
                    var last = end
                    while first < last, Self.isSpace(bytes[first]) { first += 1 }
                    while last > first, Self.isSpace(bytes[last - 1]) { last -= 1 }
                    let name = UnsafeBufferPointer(rebasing: bytes[start..<colon])
                    guard body(name, UnsafeBufferPointer(rebasing: bytes[first..<last])) else { return }
                }
                start = end + 1
            }
        }
    }

    private static func names(in section: [UInt8]) -> UInt64 {
        var names: UInt64 = 0
        section.withUnsafeBufferPointer { bytes in
            var start = 0
            var isName = true
            for index in 0..<bytes.count {
                let byte = bytes[index]
                if byte == UInt8(ascii: "\n") {
                    start = index + 1
                    isName = true
                } else if isName, byte == UInt8(ascii: ":") {
                    names |= bit(bytes[start], length: index - start)
                    isName = false
                }
            }
        }
        return names
    }

    private static func bit(_ first: UInt8, length: Int) -> UInt64 {
        1 &<< UInt64((Int(lowercased(first)) &* 7 &+ length) & 63)
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
            || byte == UInt8(ascii: "\n")
    }

    private static func isControl(_ byte: UInt8) -> Bool {
        (byte < 0x20 && byte != UInt8(ascii: "\t")) || byte == 0x7F
    }

    private static func isSetCookie(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        name.count == 10 && name.elementsEqual("set-cookie".utf8, by: sameLetter)
    }

    private static func sameLetter(_ one: UInt8, _ other: UInt8) -> Bool { lowercased(one) == lowercased(other) }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }

    private static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        guard !bytes.contains(where: isControl) else {
            return bytes.map { isControl($0) ? UInt8(ascii: " ") : $0 }.withUnsafeBufferPointer(text)
        }
        return String(validUTF8: bytes) ?? String(bytes.lazy.map { Character(Unicode.Scalar($0)) })
    }
}
