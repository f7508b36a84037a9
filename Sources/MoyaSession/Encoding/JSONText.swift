/// The text of JSON (RFC 8259) while it is written, in the form of Foundation's encoders.
struct JSONText {
    private(set) var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(256) }

    mutating func append(_ byte: UInt8) { bytes.append(byte) }

    mutating func writeNull() { bytes += "null".utf8 }

    mutating func write(_ bool: Bool) { bytes += (bool ? "true" : "false").utf8 }

    mutating func write(_ number: some FixedWidthInteger) { bytes += number.description.utf8 }

    /// Writes the shortest text that reads as the same number, without a fraction for an integer; `false` for infinity
    /// and NaN, which JSON does not have.
    mutating func write(_ number: some BinaryFloatingPoint & CustomStringConvertible) -> Bool {
        guard number.isFinite else { return false }
        bytes += number.description.utf8
        if bytes.count > 2, bytes[bytes.count - 1] == UInt8(ascii: "0"), bytes[bytes.count - 2] == UInt8(ascii: ".") {
            bytes.removeLast(2)
        }
        return true
    }

    mutating func write(_ string: String) {
        bytes.append(UInt8(ascii: "\""))
        let isWritten: Void? = string.utf8.withContiguousStorageIfAvailable { append($0) }
        if isWritten == nil { Array(string.utf8).withUnsafeBufferPointer { append($0) } }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func append(_ string: UnsafeBufferPointer<UInt8>) {
        var start = 0
        for index in string.indices {
            guard let escape = Self.escape(of: string[index]) else { continue }
            bytes += string[start..<index]
            start = index + 1
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(escape)
            if escape == UInt8(ascii: "u") { bytes += Self.fourDigits(of: string[index]) }
        }
        bytes += string[start...]
    }

    /// The character after the backslash of an escaped byte; `nil` if the byte needs no escape.
    private static func escape(of byte: UInt8) -> UInt8? {
        switch byte {
        // A slash needs no escape, but Foundation escapes it.
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): byte
        case 0x20...: nil
        case 0x08: UInt8(ascii: "b")
        case 0x09: UInt8(ascii: "t")
        case 0x0A: UInt8(ascii: "n")
        case 0x0C: UInt8(ascii: "f")
        case 0x0D: UInt8(ascii: "r")
        default: UInt8(ascii: "u")
        }
    }

    private static func fourDigits(of byte: UInt8) -> [UInt8] {
        let low = byte & 0xF
        return [
            UInt8(ascii: "0"), UInt8(ascii: "0"), UInt8(ascii: "0") + byte >> 4,
            low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + low - 10,
        ]
    }
}
