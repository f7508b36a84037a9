import Foundation

/// Writes plain values as JSON (RFC 8259), like `JSONSerialization` without options but many times faster.
///
/// Plain values are strings, integers, floating-point numbers, booleans, `NSNull`, `NSNumber`, and arrays and
/// dictionaries of these. For any other value, including an invalid one, it reports that it cannot write it.
struct JSONWriter {
    private var bytes: [UInt8] = []
    /// The maximum depth of arrays and dictionaries, so that nesting cannot exhaust the stack.
    private static let deepest = NestingError.deepest

    private init() { bytes.reserveCapacity(256) }

    /// The JSON of an array or a dictionary; `nil` if any value is not plain.
    static func data(of root: Any) -> Data? {
        var writer = JSONWriter()
        let isWritten =
            writer.writeUsualContainer(root, of: type(of: root), depth: 0) ?? writer.writeContainer(root, depth: 0)
        return isWritten ? Data(writer.bytes) : nil
    }

    /// Writes a value; `false` if it is not plain.
    private mutating func write(_ value: Any, depth: Int) -> Bool {
        // By exact type: on Apple platforms a number casts to a boolean, and a boolean to a number.
        let type = type(of: value)
        if type == String.self, let text = value as? String {
            write(text)
        } else if type == Int.self, let number = value as? Int {
            bytes += number.description.utf8
        } else if type == Bool.self, let bool = value as? Bool {
            write(bool)
        } else if type == Double.self, let number = value as? Double {
            return write(number)
        } else if type == Float.self, let number = value as? Float {
            return write(number)
        } else if let isWritten = writeUsualContainer(value, of: type, depth: depth) {
            return isWritten
        } else if value is NSNull {
            bytes += "null".utf8
        } else if type is any FixedWidthInteger.Type, let number = value as? any FixedWidthInteger {
            bytes += number.description.utf8
        } else if type is NSNumber.Type, let number = value as? NSNumber {
            return write(number)
        } else {
            return writeContainer(value, depth: depth)
        }
        return true
    }

    /// Writes a container of a type whose cast converts no elements; `nil` if the value is not a container.
    private mutating func writeUsualContainer(_ value: Any, of type: any Any.Type, depth: Int) -> Bool? {
        guard depth < Self.deepest else { return false }
        if type == [String: any Sendable].self, let entries = value as? [String: any Sendable] {
            return write(entries, depth: depth)
        } else if type == [any Sendable].self, let elements = value as? [any Sendable] {
            return write(elements, depth: depth)
        } else if type == [String: Any].self, let entries = value as? [String: Any] {
            return write(entries, depth: depth)
        } else if type == [Any].self, let elements = value as? [Any] {
            return write(elements, depth: depth)
        } else if type == [String: String].self, let entries = value as? [String: String] {
            return write(entries, depth: depth)
        } else if type == [String].self, let elements = value as? [String] {
            return write(elements, depth: depth)
        } else if type == [Int].self, let elements = value as? [Int] {
            return write(elements, depth: depth)
        }
        return nil
    }

    private mutating func writeContainer(_ value: Any, depth: Int) -> Bool {
        guard depth < Self.deepest else { return false }
        if let entries = value as? [String: Any] { return write(entries, depth: depth) }
        if let elements = value as? [Any] { return write(elements, depth: depth) }
        return false
    }

    private mutating func write<Value>(_ entries: [String: Value], depth: Int) -> Bool {
        bytes.append(UInt8(ascii: "{"))
        var isFirst = true
        for (name, value) in entries {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            write(name)
            bytes.append(UInt8(ascii: ":"))
            guard write(value, depth: depth + 1) else { return false }
        }
        bytes.append(UInt8(ascii: "}"))
        return true
    }

    private mutating func write<Element>(_ elements: [Element], depth: Int) -> Bool {
        bytes.append(UInt8(ascii: "["))
        var isFirst = true
        for element in elements {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            guard write(element, depth: depth + 1) else { return false }
        }
        bytes.append(UInt8(ascii: "]"))
        return true
    }

    private mutating func write(_ bool: Bool) { bytes += (bool ? "true" : "false").utf8 }

    private mutating func write(_ number: NSNumber) -> Bool {
        if Swift.type(of: number) == Self.booleanNumber {
            write(number.boolValue)
            return true
        }
        if number is NSDecimalNumber { return false }
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "d"): return write(number.doubleValue)
        case UInt8(ascii: "f"): return write(number.floatValue)
        case UInt8(ascii: "Q"): bytes += number.uint64Value.description.utf8
        default: bytes += number.int64Value.description.utf8
        }
        return true
    }

    /// Writes the shortest text that reads as the same number, without a fraction for an integer.
    private mutating func write(_ number: some BinaryFloatingPoint & CustomStringConvertible) -> Bool {
        guard number.isFinite else { return false }
        bytes += number.description.utf8
        if bytes.count > 2, bytes[bytes.count - 1] == UInt8(ascii: "0"), bytes[bytes.count - 2] == UInt8(ascii: ".") {
            bytes.removeLast(2)
        }
        return true
    }

    private mutating func write(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        let isWritten: Void? = text.utf8.withContiguousStorageIfAvailable { append($0) }
        if isWritten == nil { Array(text.utf8).withUnsafeBufferPointer { append($0) } }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func append(_ text: UnsafeBufferPointer<UInt8>) {
        var start = 0
        for index in text.indices {
            guard let escape = Self.escape(of: text[index]) else { continue }
            bytes += text[start..<index]
            start = index + 1
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(escape)
            if escape == UInt8(ascii: "u") { bytes += Self.fourDigits(of: text[index]) }
        }
        bytes += text[start...]
    }

    /// The character after the backslash of an escaped byte; `nil` if the byte needs no escape.
    private static func escape(of byte: UInt8) -> UInt8? {
        switch byte {
        // A slash needs no escape, but `JSONSerialization` escapes it.
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): byte
        case 0x08: UInt8(ascii: "b")
        case 0x09: UInt8(ascii: "t")
        case 0x0A: UInt8(ascii: "n")
        case 0x0C: UInt8(ascii: "f")
        case 0x0D: UInt8(ascii: "r")
        case ..<0x20: UInt8(ascii: "u")
        default: nil
        }
    }

    private static func fourDigits(of byte: UInt8) -> [UInt8] {
        let low = byte & 0xF
        return [
            UInt8(ascii: "0"), UInt8(ascii: "0"), UInt8(ascii: "0") + byte >> 4,
            low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + low - 10,
        ]
    }

    /// The class of an `NSNumber` with a boolean, which differs from that with a number, on every platform.
    private static let booleanNumber: AnyClass = Swift.type(of: NSNumber(value: true))
}
