import Foundation

@testable import MoyaSession

/// Forms of parts that the bytes describe, written, and read back by a second parser.
@Sendable func checkMultipart(_ bytes: [UInt8]) throws {
    var input = FuzzInput(bytes)
    let boundary = input.number(below: 2) == 0 ? "a-boundary" : input.text()
    var parts: [FormPart] = []
    while !input.isEmpty, parts.count < 8 {
        let kind = input.byte()
        let name = String(decoding: input.counted(), as: UTF8.self)
        let fileName = kind & 1 == 0 ? nil : String(decoding: input.counted(), as: UTF8.self)
        let mimeType = kind & 2 == 0 ? nil : String(decoding: input.counted(), as: UTF8.self)
        let content = input.counted()
        parts.append(
            FormPart(name: name, fileName: fileName, mimeType: mimeType, content: content, isStream: kind & 4 != 0))
    }
    let isSound = isBoundary(boundary) && parts.allSatisfy(\.isSound)
    do {
        let encoded = Array(try form(of: parts, boundary: boundary).encode())
        try expect(isSound, "a form of \(parts) is written")
        try expect(try readInPieces(parts, boundary: boundary) == encoded, "a form that is sent as it is read differs")
        // A part may contain the boundary, which is why it is random; a parser cannot know.
        let separator = Array("\r\n--\(boundary)".utf8)
        guard !parts.contains(where: { contains($0.content, Array(separator)) }) else { return }
        let found = try parsed(encoded, boundary: boundary)
        try expect(found == parts.map(\.received), "a form of \(parts) is read as \(found)")
    } catch let error as SessionError {
        try expect(!isSound, "a form of \(parts) is refused: \(error)")
    }
}

/// The arguments of a part.
private struct FormPart {
    let name: String
    let fileName: String?
    let mimeType: String?
    let content: [UInt8]
    let isStream: Bool

    var received: ReceivedPart {
        let hasFile = isStream || fileName != nil
        return ReceivedPart(
            name: escaped(name, normalizesLines: true),
            fileName: hasFile ? escaped(fileName ?? "file", normalizesLines: false) : nil,
            mimeType: isStream ? mimeType ?? "a/b" : mimeType, content: content)
    }

    /// Names as encoded by WHATWG's form data.
    private func escaped(_ text: String, normalizesLines: Bool) -> String {
        var text = text
        func replace(_ wanted: String, _ replacement: String) {
            text = text.replacingOccurrences(of: wanted, with: replacement, options: .literal)
        }
        if normalizesLines {
            replace("\r\n", "\n")
            replace("\r", "\n")
            replace("\n", "\r\n")
        }
        replace("\"", "%22")
        replace("\r", "%0D")
        replace("\n", "%0A")
        return text
    }

    /// `true` if every receiver would find the same names.
    var isSound: Bool {
        let names = [name, received.fileName].compactMap { $0 }
        guard !names.contains(where: { $0.utf8.contains(0) }),
            (received.mimeType ?? "").utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 })
        else { return false }
        let endsInEscape = name.utf8.reversed().prefix { $0 == 0x5C }.count % 2 == 1
        let steps = (received.fileName ?? "").utf8.split { $0 == 0x2F || $0 == 0x5C }
        return !endsInEscape && !steps.contains { Array($0) == [0x2E, 0x2E] }
    }
}

private struct ReceivedPart: Equatable {
    var name: String
    var fileName: String?
    var mimeType: String?
    var content: [UInt8]

    // Texts are compared as bytes: an accent may be written in two ways that are equal as strings.
    static func == (one: ReceivedPart, other: ReceivedPart) -> Bool {
        let texts = { (part: ReceivedPart) in
            [part.name, part.fileName, part.mimeType].map { $0.map { Array($0.utf8) } }
        }
        return texts(one) == texts(other) && one.content == other.content
    }
}

private func form(of parts: [FormPart], boundary: String) -> RequestMultipartFormData {
    let form = RequestMultipartFormData(boundary: boundary)
    for part in parts {
        if part.isStream {
            form.append(
                InputStream(data: Data(part.content)), withLength: UInt64(part.content.count), name: part.name,
                fileName: part.fileName ?? "file", mimeType: part.mimeType ?? "a/b")
        } else {
            form.append(Data(part.content), withName: part.name, fileName: part.fileName, mimeType: part.mimeType)
        }
    }
    return form
}

/// The form as a session sends it, into buffers of seven bytes.
private func readInPieces(_ parts: [FormPart], boundary: String) throws -> [UInt8] {
    let reader = try form(of: parts, boundary: boundary).makeBodyReader()
    var read: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 7)
    while case let count = try buffer.withUnsafeMutableBytes({ try reader.read(into: $0) }), count > 0 {
        read += buffer[..<count]
    }
    return read
}

/// Reads a form by RFC 7578: boundaries at the starts of lines, header lines, an empty line, bytes.
private func parsed(_ bytes: [UInt8], boundary: String) throws -> [ReceivedPart] {
    if bytes.isEmpty { return [] }
    let separator = Array("\r\n--\(boundary)".utf8)
    var pieces = split(Array("\r\n".utf8) + bytes, at: separator)
    try expect(pieces.removeFirst().isEmpty, "bytes before the first boundary")
    try expect(pieces.popLast() == Array("--\r\n".utf8), "no end")
    return try pieces.map { piece in
        try expect(piece.starts(with: [13, 10]), "a boundary does not end its line")
        let sections = split(Array(piece.dropFirst(2)), at: [13, 10, 13, 10])
        let content = Array(sections.dropFirst().joined(separator: [13, 10, 13, 10]))
        var part = ReceivedPart(name: "", content: content)
        for line in split(sections[0], at: [13, 10]) {
            let text = String(decoding: line, as: UTF8.self)
            if text.utf8.starts(with: "Content-Type: ".utf8) {
                part.mimeType = String(decoding: text.utf8.dropFirst(14), as: UTF8.self)
            } else {
                let quoted = split(line, at: [0x22])
                try expect(quoted.count == 3 || quoted.count == 5, "quotes in \(text)")
                part.name = String(decoding: quoted[1], as: UTF8.self)
                if quoted.count == 5 { part.fileName = String(decoding: quoted[3], as: UTF8.self) }
            }
        }
        return part
    }
}

private func split(_ bytes: [UInt8], at separator: [UInt8]) -> [[UInt8]] {
    var pieces: [[UInt8]] = [[]]
    var index = 0
    while index < bytes.count {
        if bytes[index...].starts(with: separator) {
            pieces.append([])
            index += separator.count
        } else {
            pieces[pieces.count - 1].append(bytes[index])
            index += 1
        }
    }
    return pieces
}

private func contains(_ bytes: [UInt8], _ wanted: [UInt8]) -> Bool {
    split(Array("\r\n".utf8) + bytes, at: wanted).count > 1
}

/// RFC 2046 section 5.1.1.
private func isBoundary(_ text: String) -> Bool {
    let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'()+_,-./:=? ".utf8)
    return !text.isEmpty && text.utf8.count <= 70 && text.utf8.allSatisfy(allowed.contains) && text.utf8.last != 0x20
}
