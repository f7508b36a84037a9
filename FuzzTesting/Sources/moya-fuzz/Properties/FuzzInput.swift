/// Takes values off bytes, for a check that needs more than one text.
struct FuzzInput {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isEmpty: Bool { rest.isEmpty }

    /// The next byte; 0 at the end.
    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// A number below a bound.
    mutating func number(below bound: Int) -> Int { Int(byte()) % bound }

    /// The bytes up to the next line feed, which is taken too.
    mutating func line() -> [UInt8] {
        let line = rest.prefix { $0 != 0x0A }
        rest = rest[line.endIndex...].dropFirst()
        return Array(line)
    }

    /// The text up to the next line feed, with invalid UTF-8 replaced.
    mutating func text() -> String { String(decoding: line(), as: UTF8.self) }

    /// As many bytes as the next byte states.
    mutating func counted() -> [UInt8] {
        let count = Int(byte())
        let taken = rest.prefix(count)
        rest = rest.dropFirst(count)
        return Array(taken)
    }

    /// All that is left, as a text.
    mutating func remainder() -> String {
        defer { rest = [] }
        return String(decoding: rest, as: UTF8.self)
    }
}

extension UInt8 {
    var isDigit: Bool { self >= 0x30 && self <= 0x39 }
    var isBlank: Bool { self == 0x20 || self == 0x09 }
}

/// The bytes without blanks at both ends.
func trimmingBlanks(_ bytes: some BidirectionalCollection<UInt8>) -> [UInt8] {
    Array(Array(bytes.drop { $0.isBlank }.reversed()).drop { $0.isBlank }.reversed())
}
