import Foundation

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Parameters that the bytes describe, written as pairs by both encoders, and read back.
@Sendable func checkForm(_ bytes: [UInt8]) throws {
    var input = FuzzInput(bytes)
    let writesPlus = input.number(below: 2) == 1
    let parameters = object(&input, depth: 0)
    let expected = pairs(of: .object(parameters), under: nil)

    let query = try URLEncoding.default.query(of: parameters.mapValues(\.any))
    try expect(try decoded(query, plusIsSpace: false) == expected, "\(query), for \(expected)")

    let encoder = URLEncodedFormEncoder(spaceEncoding: writesPlus ? .plusReplaced : .percentEscaped)
    let form: String = try encoder.encode(parameters)
    // Foundation's dictionaries are unordered, and the encoder sorts pairs.
    let found = try decoded(form, plusIsSpace: writesPlus)
    try expect(sorted(found) == sorted(expected), "\(form), for \(expected)")

    guard let url = URL(string: "https://example.com/a?b=c#d") else { return }
    let request = try URLEncoding.queryString.encode(URLRequest(url: url), with: parameters.mapValues(\.any))
    let text = request.url?.absoluteString ?? ""
    let wanted = query.isEmpty ? "https://example.com/a?b=c#d" : "https://example.com/a?b=c&\(query)#d"
    try expect(text == wanted, "\(text) is not \(wanted)")
}

/// Parameters as a value that both encoders take.
private enum FormValue: Encodable, Sendable {
    case text(String)
    case number(Int)
    case bool(Bool)
    case array([FormValue])
    case object([String: FormValue])

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .text(let text): try text.encode(to: encoder)
        case .number(let number): try number.encode(to: encoder)
        case .bool(let bool): try bool.encode(to: encoder)
        case .array(let elements): try elements.encode(to: encoder)
        case .object(let entries): try entries.encode(to: encoder)
        }
    }

    var any: any Sendable {
        switch self {
        case .text(let text): text
        case .number(let number): number
        case .bool(let bool): bool
        case .array(let elements): elements.map(\.any)
        case .object(let entries): entries.mapValues(\.any)
        }
    }
}

private func object(_ input: inout FuzzInput, depth: Int) -> [String: FormValue] {
    var entries: [String: FormValue] = [:]
    for _ in 0..<(1 + input.number(below: 4)) where !input.isEmpty {
        entries[String(decoding: input.counted(), as: UTF8.self)] = value(&input, depth: depth)
    }
    return entries
}

private func value(_ input: inout FuzzInput, depth: Int) -> FormValue {
    switch input.number(below: depth < 6 ? 6 : 3) {
    case 0: .number(Int(Int8(bitPattern: input.byte())) * 1_000_003)
    case 1: .bool(input.byte() & 1 == 1)
    case 2, 3: .text(String(decoding: input.counted(), as: UTF8.self))
    case 4: .array((0..<input.number(below: 4)).map { _ in value(&input, depth: depth + 1) })
    default: .object(object(&input, depth: depth + 1))
    }
}

private struct Pair: Equatable {
    var name: [UInt8]
    var text: [UInt8]
}

private func pairs(of value: FormValue, under name: String?) -> [Pair] {
    switch value {
    case .text(let text): [Pair(name: Array((name ?? "").utf8), text: Array(text.utf8))]
    case .number(let number): [Pair(name: Array((name ?? "").utf8), text: Array("\(number)".utf8))]
    case .bool(let bool): [Pair(name: Array((name ?? "").utf8), text: bool ? [0x31] : [0x30])]
    case .array(let elements): elements.flatMap { pairs(of: $0, under: "\(name ?? "")[]") }
    case .object(let entries):
        entries.sorted { $0.key < $1.key }.flatMap { key, value in
            pairs(of: value, under: name.map { "\($0)[\(key)]" } ?? key)
        }
    }
}

private func sorted(_ pairs: [Pair]) -> [Pair] {
    pairs.sorted { ($0.name + [0x3D] + $0.text).lexicographicallyPrecedes($1.name + [0x3D] + $1.text) }
}

/// Reads pairs like a server, and refuses characters that must be percent-encoded.
private func decoded(_ text: String, plusIsSpace: Bool) throws -> [Pair] {
    let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/?%".utf8)
    func decode(_ bytes: ArraySlice<UInt8>) throws -> [UInt8] {
        var decoded: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            if byte == 0x2B, plusIsSpace {
                decoded.append(0x20)
                continue
            }
            try expect(plain.contains(byte), "a byte \(byte) in \(text)")
            guard byte == 0x25 else {
                decoded.append(byte)
                continue
            }
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            guard rest.count >= 2, let value = UInt8(digits, radix: 16) else {
                throw Violation(description: "%\(digits) in \(text)")
            }
            rest = rest.dropFirst(2)
            decoded.append(value)
        }
        return decoded
    }
    return try Array(text.utf8).split(separator: 0x26).map { pair in
        let parts = pair.split(separator: 0x3D, maxSplits: 1, omittingEmptySubsequences: false)
        try expect(parts.count == 2, "a pair without an equals sign in \(text)")
        return Pair(name: try decode(parts[0]), text: try decode(parts[1]))
    }
}
