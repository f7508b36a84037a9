import Foundation

@testable import MoyaSession

/// Content types and the ranges of an `Accept`: one line each.
@Sendable func checkMediaType(_ bytes: [UInt8]) throws {
    var input = FuzzInput(bytes)
    let contentType = input.text()
    let accept = input.remainder()

    let type = MIMETypePattern(contentType)
    let expected = parts(of: contentType)
    try expect(
        type.map { [String($0.type), String($0.subtype)] } == expected,
        "\(contentType) is read as \(String(describing: type))")
    if let type {
        try expect(type.matches(type), "\(type) is not within itself")
        try expect(MIMETypePattern("*/*")?.matches(type) == true, "\(type) is not within */*")
        try expect(
            MIMETypePattern(type.description)?.description == type.description, "\(type) changes when read again")
        let loud = MIMETypePattern(type.description.uppercased())
        if let loud { try expect(type.matches(loud) && loud.matches(type), "case counts in \(type)") }
    }

    let ranges = MIMETypePattern.ranges(inAccept: accept)
    let isAcceptable = MIMETypePattern.isAcceptable(contentType: contentType, by: ranges)
    try expect(!ranges.isEmpty && !ranges.contains(""), "empty ranges in \(accept)")
    try expect(
        MIMETypePattern.isAcceptable(
            contentType: contentType, by: MIMETypePattern.ranges(inAccept: "*/*, " + accept)),
        "*/* does not accept")
    let isOneOfThem = ranges.contains { range in
        guard let range = parts(of: range) else { return false }
        guard let expected else { return range == ["*", "*"] }
        return zip(range, expected).allSatisfy { $0 == "*" || $0.lowercased() == $1.lowercased() }
    }
    try expect(isAcceptable == isOneOfThem, "\(contentType) by \(ranges): \(isAcceptable)")

    var isRefused = false
    do throws(SessionError) {
        try ContentTypeValidation.validate(contentType, acceptable: ranges)
    } catch {
        isRefused = true
        try expect(!error.localizedDescription.isEmpty, "an error without words")
    }
    try expect(isRefused != isAcceptable, "validation of \(contentType) by \(accept): \(isRefused)")
}

/// Type and subtype: two tokens around the single slash before the first semicolon.
private func parts(of text: String) -> [String]? {
    let type = trimmingBlanks(text.utf8.prefix { $0 != 0x3B })
    let parts = type.split(separator: 0x2F, omittingEmptySubsequences: false)
    let token = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-.^_`|~".utf8)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(token.contains) }) else { return nil }
    return parts.map { String(decoding: $0, as: UTF8.self) }
}
