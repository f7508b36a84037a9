import MoyaTransport

/// The header section of one part, in which no name or value can end its line or its quotes.
struct MultipartHeader: Sendable {
    /// The field lines, each ended by CRLF.
    private(set) var bytes: [UInt8] = []
    /// The first name or value that no field can contain.
    private(set) var invalidValue: String?

    /// Makes the section of a form part (RFC 7578 section 4.2), in UTF-8 and escaped as in browsers (WHATWG HTML,
    /// "multipart form data").
    init(name: String, fileName: String?, mimeType: String?) {
        refuse(name, unless: !name.utf8.contains(0) && !Self.endsInBackslash(name))
        bytes += "Content-Disposition: form-data; name=\"".utf8
        appendEscaped(name, normalizesLines: true)
        if let fileName {
            refuse(fileName, unless: !fileName.utf8.contains(0) && !Self.leavesItsDirectory(fileName))
            bytes += "\"; filename=\"".utf8
            appendEscaped(fileName, normalizesLines: false)
        }
        bytes += "\"\r\n".utf8
        if let mimeType { append(name: "Content-Type", value: mimeType) }
    }

    /// Makes a header section of the given fields.
    init(_ headers: HTTPHeaders) {
        for header in headers { append(name: header.name, value: header.value) }
    }

    private mutating func append(name: String, value: String) {
        refuse(name, unless: ASCII.isToken(name))
        refuse(value, unless: ASCII.isFieldValue(value))
        bytes += name.utf8
        bytes += ": ".utf8
        bytes += value.utf8
        bytes += "\r\n".utf8
    }

    private mutating func refuse(_ value: String, unless isValid: Bool) {
        if invalidValue == nil, !isValid { invalidValue = value }
    }

    /// Appends a name with escaped quotes and line breaks.
    ///
    /// - Parameter normalizesLines: `true` to write a lone CR or LF as CRLF.
    private mutating func appendEscaped(_ text: String, normalizesLines: Bool) {
        var previous: UInt8 = 0
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): bytes += "%22".utf8
            case UInt8(ascii: "\r"): bytes += (normalizesLines ? "%0D%0A" : "%0D").utf8
            case UInt8(ascii: "\n") where !normalizesLines: bytes += "%0A".utf8
            case UInt8(ascii: "\n"): if previous != UInt8(ascii: "\r") { bytes += "%0D%0A".utf8 }
            default: bytes.append(byte)
            }
            previous = byte
        }
    }

    /// `true` if some receivers would treat the closing quote as escaped, and the following text as part of the name.
    private static func endsInBackslash(_ name: String) -> Bool {
        !name.utf8.reversed().prefix { $0 == UInt8(ascii: "\\") }.count.isMultiple(of: 2)
    }

    /// `true` if a receiver that treats the name as a path would leave its directory.
    private static func leavesItsDirectory(_ fileName: String) -> Bool {
        fileName.utf8.split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }.contains {
            $0.elementsEqual("..".utf8)
        }
    }
}
