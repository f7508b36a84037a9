import Foundation

@testable import Moya

/// A stream that is split anywhere: its lines, beside those of the text as a whole.
@Sendable func checkLines(_ bytes: [UInt8]) throws {
    var input = FuzzInput(bytes)
    let size = input.number(below: 7) + 1
    let body = Array(input.rest)
    let found = elements(of: LineParser(), in: body, by: size)
    try expect(found.errors.isEmpty, "\(found.errors)")
    var lines: [[UInt8]] = [[]]
    var index = body.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    while index < body.count {
        switch body[index] {
        case 0x0D:
            lines.append([])
            if index + 1 < body.count, body[index + 1] == 0x0A { index += 1 }
        case 0x0A: lines.append([])
        case let byte: lines[lines.count - 1].append(byte)
        }
        index += 1
    }
    if lines.last == [] { lines.removeLast() }
    let expected = lines.map { String(decoding: $0, as: UTF8.self) }
    try expect(found.elements == expected, "\(found.elements), not \(expected), by \(size)")
}

/// Events split at any position equal those of the whole, and contain only allowed characters.
@Sendable func checkEvents(_ bytes: [UInt8]) throws {
    var input = FuzzInput(bytes)
    let size = input.number(below: 7) + 1
    let body = Array(input.rest)
    let found = elements(of: ServerSentEventParser(limit: 64), in: body, by: size)
    let whole = elements(of: ServerSentEventParser(limit: 64), in: body, by: body.count + 1)
    try expect(found.elements == whole.elements && found.errors == whole.errors, "\(found), not \(whole), by \(size)")
    for event in found.elements {
        try expect(!event.type.isEmpty && event.id != "", "\(event)")
        let id = event.id?.unicodeScalars ?? "".unicodeScalars
        try expect(!id.contains("\0") && !id.contains("\n") && !id.contains("\r"), "\(event)")
        try expect(!event.data.unicodeScalars.contains("\r"), "\(event)")
    }
}

/// JSON values that are split anywhere are those of the whole.
@Sendable func checkJSONLines(_ bytes: [UInt8]) throws {
    var input = FuzzInput(bytes)
    let types = ["application/jsonl", "application/json-seq", "application/json", nil]
    let type = types[input.number(below: types.count)]
    let size = input.number(below: 7) + 1
    let body = Array(input.rest)
    let found = elements(of: JSONLinesParser(contentType: type, limit: 64), in: body, by: size)
    let whole = elements(of: JSONLinesParser(contentType: type, limit: 64), in: body, by: body.count + 1)
    try expect(found.elements == whole.elements && found.errors == whole.errors, "\(found), not \(whole), by \(size)")
    for element in found.elements { try expect(!element.isEmpty && element.count <= 65, "\(Array(element))") }
}

/// The elements of a body in chunks of a size, and the errors up to the final one.
private func elements<Parser: StreamParser>(
    of parser: Parser, in body: [UInt8], by size: Int
) -> (elements: [Parser.Element], errors: [ResponseStreamError]) {
    var parser = parser
    var (elements, errors) = ([Parser.Element](), [ResponseStreamError]())
    func drain() -> Bool {
        while true {
            do throws(ResponseStreamError) {
                guard let element = try parser.next() else { return true }
                elements.append(element)
            } catch {
                errors.append(error)
                guard error.isOfOneElement else { return false }
            }
        }
    }
    for start in stride(from: 0, to: body.count, by: size) {
        parser.append(Data(body[start..<min(start + size, body.count)]))
        guard drain() else { return (elements, errors) }
    }
    parser.finish()
    _ = drain()
    return (elements, errors)
}
