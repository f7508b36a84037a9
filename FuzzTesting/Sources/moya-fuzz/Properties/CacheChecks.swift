import Foundation

@testable import MoyaSession
@testable import MoyaTransport

/// `No-Vary-Search` in the first line, and two queries.
@Sendable func checkNoVarySearch(_ bytes: [UInt8]) throws {
    var input = FuzzInput(bytes)
    let value = input.text()
    // A URL consists of ASCII.
    let (first, second) = (input.line().map { $0 & 0x7F }, input.line().map { $0 & 0x7F })
    let (one, other) = (url(first), url(second))
    if let search = NoVarySearch([HTTPField(name: "No-Vary-Search", value: value)]) {
        let areEquivalent = search.areEquivalent(one, other)
        try expect(areEquivalent == search.areEquivalent(other, one), "\(value): \(one) and \(other) in one order only")
        try expect(search.areEquivalent(one, one + "&"), "\(value): an empty parameter of \(one) counts")
        try expect(areEquivalent == search.areEquivalent(one + "&&", other), "\(value): \(one) and \(other) with &&")
    }
    // The order, compared with a second implementation.
    guard let unordered = NoVarySearch([HTTPField(name: "No-Vary-Search", value: "key-order")]) else {
        throw Violation(description: "key-order is refused")
    }
    try expect(
        unordered.areEquivalent(one, other) == (valuesByName(first) == valuesByName(second)),
        "\(one) and \(other) in another order")
}

extension NoVarySearch {
    /// `true` if two URLs have the same response.
    fileprivate func areEquivalent(_ one: String, _ other: String) -> Bool { form(of: one) == form(of: other) }
}

private func url(_ query: [UInt8]) -> String { "https://example.com/?" + String(decoding: query, as: UTF8.self) }

/// The values of each parameter of a form, in their order.
private func valuesByName(_ query: [UInt8]) -> [[UInt8]: [[UInt8]]] {
    var values: [[UInt8]: [[UInt8]]] = [:]
    for part in query.split(separator: UInt8(ascii: "&")) {
        let name = part.prefix { $0 != UInt8(ascii: "=") }
        values[formDecoded(Array(name)), default: []].append(formDecoded(Array(part.dropFirst(name.count + 1))))
    }
    return values
}

private func formDecoded(_ text: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    var index = 0
    while index < text.count {
        let digits = text.dropFirst(index + 1).prefix(2)
        if text[index] == UInt8(ascii: "%"), digits.count == 2, digits.allSatisfy(\.isHexDigit),
            let byte = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
        {
            bytes.append(byte)
            index += 3
        } else {
            bytes.append(text[index] == UInt8(ascii: "+") ? 0x20 : text[index])
            index += 1
        }
    }
    // Invalid UTF-8 is replaced.
    return Array(String(decoding: bytes, as: UTF8.self).utf8)
}

extension UInt8 {
    fileprivate var isHexDigit: Bool { isDigit || (0x41...0x46).contains(self) || (0x61...0x66).contains(self) }
}

/// The record of a stored response, as in the file of a cache.
@Sendable func checkCacheRecord(_ bytes: [UInt8]) throws {
    guard let response = readRecord(Data(bytes)) else { return }
    try expect((200...999).contains(response.status), "the status \(response.status)")
    if let part = response.part {
        try expect(part.total >= part.bytes.upperBound, "\(part.bytes) of \(part.total)")
        try expect(Int64(part.bytes.count) == response.body.count, "\(part.bytes) in \(response.body.count) bytes")
    }
    for now in [0, response.freshness.received, 4e9] {
        let timeToLive = response.freshness.timeToLive(at: now)
        try expect(!timeToLive.isNaN, "no time to live at \(now)")
        _ = timeToLive.wholeSeconds
    }
    var url = ComparedURL(response.url)
    try expect(response.answers(&url), "it does not answer \(response.url)")
    guard let again = readRecord(response.record) else { throw Violation(description: "it cannot be read back") }
    try expect(again.record == response.record, "it changes when it is written again")
    try expect(again.isSameVariant(as: response), "it is another variant when it is read back")
}

private func readRecord(_ data: Data) -> CachedResponse? {
    CachedResponse.read(data) { length, _, _ in
        length <= 1 << 16 ? .memory(Data(count: Int(length))) : nil
    }
}
