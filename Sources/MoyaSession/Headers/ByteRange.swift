import Foundation
import MoyaTransport

/// A single byte range of a request (RFC 9110 section 14.1.2).
enum ByteRange: Sendable, Equatable {
    /// From one byte to another, or to the end if that comes first.
    case from(Int64, through: Int64)
    /// A number of last bytes.
    case last(Int64)

    /// Parses the value of a `Range` field.
    ///
    /// - Returns: `nil` for several ranges, another unit, and malformed values.
    init?(_ value: String) {
        let text = value.trimmingCharacters(in: .whitespaces)
        guard ASCII.hasPrefix(text, "bytes=") else { return nil }
        let ends = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        if ends[0].isEmpty {
            guard let count = Self.number(ends[1]), count > 0 else { return nil }
            self = .last(count)
        } else {
            guard let first = Self.number(ends[0]) else { return nil }
            let last = ends[1].isEmpty ? Int64.max : Self.number(ends[1]) ?? -1
            guard last >= first else { return nil }
            self = .from(first, through: last)
        }
    }

    private static func number(_ text: Substring) -> Int64? { ASCII.number(ASCII.trimmed(text).utf8) }

    /// The bytes of a resource of known length; `nil` if the range includes none.
    func bytes(of total: Int64) -> Range<Int64>? {
        switch self {
        case .from(let first, let last):
            guard first < total else { return nil }
            return first..<min(last, total - 1) + 1
        case .last(let count): return total > 0 ? max(total - count, 0)..<total : nil
        }
    }
}

/// The part of a resource that a 206 response carries.
struct ContentRange: Sendable, Equatable {
    /// The bytes of the part, at least one.
    let bytes: Range<Int64>
    /// The length of the whole resource.
    let total: Int64

    /// The smallest part that contains two; `nil` if there is a gap between them, or the resources differ in length.
    func joined(with other: ContentRange) -> ContentRange? {
        guard total == other.total, bytes.lowerBound <= other.bytes.upperBound,
            other.bytes.lowerBound <= bytes.upperBound
        else { return nil }
        let lower = min(bytes.lowerBound, other.bytes.lowerBound)
        return ContentRange(bytes: lower..<max(bytes.upperBound, other.bytes.upperBound), total: total)
    }

    /// The value of the `Content-Range` field.
    var fieldValue: String { "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(total)" }
}

extension ContentRange {
    /// Parses the value of a `Content-Range` field, such as `bytes 0-4/10`; `nil` if a number is missing or invalid.
    init?(_ value: String) {
        guard let (first, last, total) = Self.numbers(in: value), let total else { return nil }
        self.init(bytes: first..<last + 1, total: total)
    }

    /// The positions of the first and the last byte, and the length of the whole resource unless it is `*`, in the
    /// value of a `Content-Range` field (RFC 9110 section 14.4); `nil` if one is missing or invalid.
    ///
    /// Without a length, the last byte plus one may overflow.
    static func numbers(in value: String) -> (first: Int64, last: Int64, total: Int64?)? {
        guard ASCII.hasPrefix(value, "bytes ") else { return nil }
        let parts = value.utf8.dropFirst(6).split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let ends = parts[0].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        let total = ASCII.number(parts[1])
        guard ends.count == 2, let first = ASCII.number(ends[0]), let last = ASCII.number(ends[1]), last >= first,
            total.map({ last < $0 }) ?? parts[1].elementsEqual("*".utf8)
        else { return nil }
        return (first, last, total)
    }
}

extension Range<Int64> {
    /// The number of bytes; `count` is an `Int`, and traps on 32-bit watchOS if it is too large for that.
    var length: Int64 { upperBound - lowerBound }
}
