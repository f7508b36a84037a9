import MoyaTransport

/// The header section of one part, of which no name or value can end its line or its quotes.
struct MultipartHeader: Sendable {
    /// The field lines, each ended by CRLF.
    private(set) var bytes: [UInt8] = []
    /// The first name or value that no field can hold.
    private(set) var invalidValue: String?

    /// Makes the section of a part of a form (RFC 7578 section 4.2), in UTF-8.
    init(name: String, fileName: String?, mimeType: String?) {
        refuse(name, unless: Self.canBeQuoted(name))
        var disposition = "form-data; name=\"\(name)\""
        if let fileName {
            refuse(fileName, unless: Self.canBeQuoted(fileName) && !Self.leavesItsDirectory(fileName))
            disposition += "; filename=\"\(fileName)\""
        }
        append(name: "Content-Disposition", value: disposition)
        if let mimeType { append(name: "Content-Type", value: mimeType) }
    }

    /// Makes a section of the user's own fields.
    init(_ headers: HTTPHeaders) {
        for header in headers { append(name: header.name, value: header.value) }
    }

    private mutating func append(name: String, value: String) {
        refuse(name, unless: ASCII.isToken(name))
        refuse(value, unless: !value.utf8.contains(where: Self.endsField))
        bytes += name.utf8
        bytes += ": ".utf8
        bytes += value.utf8
        bytes += "\r\n".utf8
    }

    private mutating func refuse(_ value: String, unless isValid: Bool) {
        if invalidValue == nil, !isValid { invalidValue = value }
    }

    private static func endsField(_ byte: UInt8) -> Bool { byte == 13 || byte == 10 || byte == 0 }

    /// Whether every receiver finds the closing quote where it is: to some, though not to all, a backslash escapes it.
    private static func canBeQuoted(_ text: String) -> Bool {
        !text.utf8.contains { $0 == UInt8(ascii: "\"") || endsField($0) }
            && text.utf8.reversed().prefix { $0 == UInt8(ascii: "\\") }.count.isMultiple(of: 2)
    }

    /// Whether a receiver that takes the name for a path would be led out of its directory.
    private static func leavesItsDirectory(_ fileName: String) -> Bool {
        fileName.utf8.split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }.contains {
            $0.elementsEqual("..".utf8)
        }
    }
}
