import Foundation
import MoyaTransport

/// A key path in JSON, with the semantics of Objective-C's `value(forKeyPath:)`.
///
/// A key under an array leads to the array of its elements' values, with `null` for elements without one. Strings,
/// numbers, booleans and `null` have no keys. Operators such as `@count` are ordinary keys.
///
/// It searches for the bytes of the value instead of parsing and re-encoding them, which costs ten times as much as
/// decoding and loses digits of numbers.
struct JSONKeyPath {
    /// The maximum depth of objects and arrays in a path.
    private static let deepest = 256

    private let keys: [[UInt8]]

    /// Makes a path from keys joined by dots.
    init(_ text: String) {
        keys = text.split(separator: ".", omittingEmptySubsequences: false).map { Array($0.utf8) }
    }

    /// The JSON at the path, from an object at the root; `nil` without one, or if the root is not an object.
    ///
    /// A path goes through at most 256 objects and arrays, which fit on any thread's stack.
    ///
    /// - Throws: ``JSONScanner/Invalid`` if any part of the data is not JSON (RFC 8259).
    func value(in data: Data) throws(JSONScanner.Invalid) -> Data? {
        var bytes = Array(Self.text(of: data))
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        guard String(validUTF8: bytes) != nil else { throw JSONScanner.Invalid() }
        var scanner = JSONScanner(bytes: bytes)
        let isObject = scanner.skipSpace() == UInt8(ascii: "{")
        let value = try find(keys[...], in: &scanner, depth: 0)
        guard scanner.skipSpace() == nil else { throw JSONScanner.Invalid() }
        return isObject ? value.map { Data($0) } : nil
    }

    /// The data in UTF-8 if it is in UTF-16 or UTF-32, which decoders accept too: JSON begins with an ASCII character.
    private static func text(of data: Data) -> Data {
        let isWide = data.prefix(4).contains(0) || data.starts(with: [0xFF, 0xFE]) || data.starts(with: [0xFE, 0xFF])
        guard isWide else { return data }
        let start = Array(data.prefix(4))
        let encoding: String.Encoding =
            switch (start.first, start.dropFirst().first, start.dropFirst(2).first) {
            case (0, 0, _): .utf32
            case (0xFF, 0xFE, 0): .utf32
            case (_, 0, 0): .utf32LittleEndian
            case (0, _, _): .utf16BigEndian
            case (_, 0, _): .utf16LittleEndian
            default: .utf16
            }
        return String(data: data, encoding: encoding).map { Data($0.utf8) } ?? data
    }

    private func find(
        _ keys: ArraySlice<[UInt8]>, in scanner: inout JSONScanner, depth: Int
    ) throws(JSONScanner.Invalid) -> ArraySlice<UInt8>? {
        guard let key = keys.first else { return try scanner.skipValue(depth: depth) }
        guard depth < Self.deepest else { throw JSONScanner.Invalid() }
        switch scanner.skipSpace() {
        case UInt8(ascii: "{"):
            var found: ArraySlice<UInt8>?
            try scanner.forEachItem(depth: depth) { name, scanner throws(JSONScanner.Invalid) in
                // The last of several equal names counts, as in a dictionary that is filled in order.
                if let name, JSONScanner.isName(name, key) {
                    found = try find(keys.dropFirst(), in: &scanner, depth: depth + 1)
                } else {
                    try scanner.skipValue(depth: depth + 1)
                }
            }
            return found
        case UInt8(ascii: "["):
            var values: [UInt8] = []
            try scanner.forEachItem(depth: depth) { _, scanner throws(JSONScanner.Invalid) in
                values.append(values.isEmpty ? UInt8(ascii: "[") : UInt8(ascii: ","))
                values += try find(keys, in: &scanner, depth: depth + 1) ?? ArraySlice("null".utf8)
            }
            if values.isEmpty { values.append(UInt8(ascii: "[")) }
            values.append(UInt8(ascii: "]"))
            return values[...]
        default:
            try scanner.skipValue(depth: depth)
            return nil
        }
    }
}
