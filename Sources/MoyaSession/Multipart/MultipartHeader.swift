import MoyaTransport

/// The header section of one part, written so that no name or value can end its line or its quotes.
struct MultipartHeader: Sendable {
    /// The field lines, each ended by CRLF.
    private(set) var bytes: [UInt8] = []
    /// The first name or value that no field can hold.
    private(set) var invalidValue: String?

    /// Makes the section of a part of a form (RFC 7578 section 4.2).
    init(name: String, fileName: String?, mimeType: String?) {
        var disposition = "form-data; name=\"\(Self.quoted(name))\""
        if let fileName { disposition += "; filename=\"\(Self.quoted(fileName))\"" }
        append(name: "Content-Disposition", value: disposition)
        if let mimeType { append(name: "Content-Type", value: mimeType) }
    }

    /// Makes a section of the user's own fields.
    init(_ headers: HTTPHeaders) {
        for header in headers { append(name: header.name, value: header.value) }
    }

    private mutating func append(name: String, value: String) {
        if invalidValue == nil, !ASCII.isToken(name) { invalidValue = name }
        if invalidValue == nil, value.utf8.contains(where: { $0 == 13 || $0 == 10 || $0 == 0 }) { invalidValue = value }
        bytes += name.utf8
        bytes += ": ".utf8
        bytes += value.utf8
        bytes += "\r\n".utf8
    }

    /// A name or file name as it stands between quotes; what would end them is written as HTML's form encoding does.
    private static func quoted(_ text: String) -> String {
        var quoted = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "%22"
            case "\r": quoted += "%0D"
            case "\n": quoted += "%0A"
            case "\0": quoted += "%00"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted
    }
}
