import Foundation

@testable import MoyaCurl
@testable import MoyaSession
@testable import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Heads made from header lines, at once and as delivered by libcurl, compared with a second parser.
@Sendable func checkResponseHead(_ bytes: [UInt8]) throws {
    #if os(Linux)
    var reader = ResponseHeadReader()
    var model = HeadModel()
    for line in lines(of: bytes) {
        let head = line.withUnsafeBytes { reader.take($0) }
        guard !reader.isTooLarge else { return try expect(head == nil, "a head beyond its bounds") }
        let expected = model.take(line)
        try expect((head == nil) == (expected == nil), "a head \(head == nil ? "is missing" : "too many") at \(line)")
        try expect(reader.isWithinHead == (model.section != nil), "within a head: \(reader.isWithinHead) at \(line)")
        try expect(
            reader.hasMalformedLength == model.hasMalformedLength,
            "malformed length: \(reader.hasMalformedLength) at \(line)")
        try expect(
            reader.hasMalformedStatus == model.hasMalformedStatus,
            "malformed status: \(reader.hasMalformedStatus) at \(line)")
        guard let head, let expected else { continue }
        try expect(head.status == expected.status, "status \(head.status), not \(expected.status)")
        let fields = head.fields
        try expect(
            fields.map { Array($0.name.utf8) } == expected.names, "names \(fields.map(\.name)), not \(expected.names)")
        try checkLookUps(in: head, fields: fields)
        if let url = URL(string: "https://example.com/") { _ = HTTPURLResponse(head: head, url: url) }
    }
    #endif
}

/// Every way to look up a field has the same answer.
private func checkLookUps(in head: TransportResponseHead, fields: [HTTPField]) throws {
    for field in fields {
        let values = head.values(for: field.name.uppercased())
        // Foundation changes the case of more letters than ASCII's.
        guard field.name.utf8.allSatisfy({ $0 < 0x80 }) else { continue }
        try expect(values.contains(field.value), "\(field.name) is not found")
        let same = fields.filter {
            $0.name.lowercased() == field.name.lowercased() && $0.name.utf8.allSatisfy { $0 < 0x80 }
        }
        try expect(values == same.map(\.value), "\(field.name): \(values)")
    }
    try expect(head.value(for: "content-length") == head.values(for: "Content-Length").first, "content-length differs")
    if let length = head.contentLength { try expect(length >= 0, "a length of \(length)") }
}

/// The bytes cut after each line feed.
private func lines(of bytes: [UInt8]) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    var line: [UInt8] = []
    for byte in bytes {
        line.append(byte)
        guard byte == 0x0A else { continue }
        lines.append(line)
        line = []
    }
    if !line.isEmpty { lines.append(line) }
    return lines
}

/// A second definition of heads.
private struct HeadModel {
    struct Head {
        var status: Int
        var names: [[UInt8]]
    }

    /// The lines of the head that has begun.
    var section: [[UInt8]]?
    var hasMalformedLength = false
    var hasMalformedStatus = false
    private var status = 0
    private var isOver = false

    mutating func take(_ line: [UInt8]) -> Head? {
        if isOver { return nil }
        if section == nil, line.starts(with: Array("HTTP/".utf8)) {
            section = []
            let digits = line.drop { $0 != 0x20 && $0 != 0x09 }.dropFirst().prefix(while: \.isDigit)
            status = digits.prefix(3).reduce(0) { $0 * 10 + Int($1 - 0x30) }
            if digits.count != 3 || status < 100 { hasMalformedStatus = true }
            return nil
        }
        guard let lines = section else { return nil }
        guard line.first == 0x0D || line.first == 0x0A else {
            section = lines + [line]
            if !lengthsAreSound || !framingIsPlain { hasMalformedLength = true }
            return nil
        }
        section = nil
        isOver = status >= 200 || status == 101
        return Head(status: status, names: Self.unfolded(lines).flatMap(Self.names))
    }

    /// A line that begins with white space continues the previous one.
    private static func unfolded(_ lines: [[UInt8]]) -> [[UInt8]] {
        var unfolded: [[UInt8]] = []
        for line in lines {
            let isFolded = line.first == 0x20 || line.first == 0x09
            if isFolded, let last = unfolded.popLast() { unfolded.append(last + line) } else { unfolded.append(line) }
        }
        return unfolded
    }

    /// The text before the first colon, if it is a token.
    private static func names(_ line: [UInt8]) -> [[UInt8]] {
        guard let colon = line.firstIndex(of: 0x3A), colon > 0 else { return [] }
        let name = Array(line[..<colon])
        return name.allSatisfy(ASCII.isTokenByte) ? [name] : []
    }

    /// `true` if no field that determines the end of the body is folded, or has white space before its colon.
    private var framingIsPlain: Bool {
        Self.unfolded(section ?? []).allSatisfy { line in
            let text = String(decoding: line, as: UTF8.self).lowercased()
            return ["content-length", "transfer-encoding"].allSatisfy { name in
                if text.utf8.starts(with: (name + " ").utf8) || text.utf8.starts(with: (name + "\t").utf8) {
                    return false
                }
                return !text.utf8.starts(with: (name + ":").utf8) || !line.dropLast().contains(0x0A)
            }
        }
    }

    /// `true` if all lengths stated so far are numbers, and the same one.
    private var lengthsAreSound: Bool {
        var lengths: Set<Int64> = []
        for line in section ?? [] {
            guard let colon = line.firstIndex(of: 0x3A),
                String(decoding: line[..<colon], as: UTF8.self).lowercased().utf8.elementsEqual("content-length".utf8)
            else { continue }
            let ends: Set<UInt8> = [0x20, 0x09, 0x0D, 0x0A]
            let value = line[(colon + 1)...].drop { ends.contains($0) }.reversed().drop { ends.contains($0) }.reversed()
            guard !value.isEmpty, value.allSatisfy(\.isDigit),
                let number = Int64(String(decoding: Array(value), as: UTF8.self))
            else { return false }
            lengths.insert(number)
        }
        return lengths.count <= 1
    }
}
