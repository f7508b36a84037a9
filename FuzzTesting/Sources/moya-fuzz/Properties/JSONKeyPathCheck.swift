import Foundation

@testable import Moya

/// A line with a key path, then JSON; the same by parsing it all.
@Sendable func checkJSONKeyPath(_ bytes: [UInt8]) throws {
    var input = FuzzInput(bytes)
    let path = input.text()
    let data = Data(input.rest)
    let keys = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    // Foundation reads more than RFC 8259: UTF-16, UTF-32, NUL at the end; and keeps the first of equal names.
    guard data.first != 0, data.dropFirst().first != 0, data.last != 0, !data.starts(with: [0xFF, 0xFE]),
        !data.starts(with: [0xFE, 0xFF])
    else {
        _ = try? JSONKeyPath(path).value(in: data)
        return
    }
    let found: Data?
    do throws(JSONScanner.Invalid) {
        found = try JSONKeyPath(path).value(in: data)
    } catch {
        // Input that Foundation accepts and RFC 8259 does not is for the tests of JSONScanner.
        return
    }
    guard let root = try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed) else {
        return try checkRefusalByFoundation(data)
    }
    guard hasEqualNames(data, root) == false else { return }
    let expected = root is [String: Any] ? value(at: keys[...], in: root) : nil
    guard let found else {
        return try expect(expected == nil, "nothing at \(path), where \(String(describing: expected)) is")
    }
    let read = try? JSONSerialization.jsonObject(with: found, options: .fragmentsAllowed)
    try expect(read != nil, "what is at \(path) is no JSON: \(String(decoding: found, as: UTF8.self))")
    guard let read, let expected else {
        throw Violation(description: "\(String(decoding: found, as: UTF8.self)) at \(path), where nothing is")
    }
    try expect(text(of: read) == text(of: expected), "\(text(of: read)) at \(path), not \(text(of: expected))")
}

/// Foundation refuses numbers too large for it, and half of a surrogate pair, which RFC 8259 has.
private func checkRefusalByFoundation(_ data: Data) throws {
    let text = String(decoding: data, as: UTF8.self)
    let hasSurrogates = text.lowercased().contains("\\ud")
    let hasNumbers = text.utf8.contains { $0.isDigit }
    let isDeep = text.utf8.count { $0 == 0x5B || $0 == 0x7B } > 500
    try expect(hasSurrogates || hasNumbers || isDeep, "Foundation refuses \(text)")
}

private func value(at keys: ArraySlice<String>, in json: Any) -> Any? {
    guard let key = keys.first else { return json }
    if let object = json as? [String: Any] {
        // Byte by byte: an accent may be written in two ways that are equal as strings.
        return object.first { $0.key.utf8.elementsEqual(key.utf8) }.flatMap {
            value(at: keys.dropFirst(), in: $0.value)
        }
    }
    if let array = json as? [Any] { return array.map { value(at: keys, in: $0) ?? NSNull() } }
    return nil
}

/// `true` if any object has two equal names, of which Foundation keeps an arbitrary one.
private func hasEqualNames(_ data: Data, _ root: Any) -> Bool {
    func count(_ json: Any) -> Int {
        if let object = json as? [String: Any] { return object.values.reduce(object.count) { $0 + count($1) } }
        if let array = json as? [Any] { return array.reduce(0) { $0 + count($1) } }
        return 0
    }
    var colons = 0
    var isInString = false
    var isEscaped = false
    for byte in data {
        if isInString {
            if isEscaped {
                isEscaped = false
            } else if byte == 0x5C {
                isEscaped = true
            } else if byte == 0x22 {
                isInString = false
            }
        } else if byte == 0x22 {
            isInString = true
        } else if byte == 0x3A {
            colons += 1
        }
    }
    return colons != count(root)
}

private func text(of json: Any) -> String {
    guard let data = try? JSONSerialization.data(withJSONObject: [json], options: .sortedKeys) else { return "\(json)" }
    return String(decoding: data, as: UTF8.self)
}
