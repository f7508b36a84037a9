import Foundation

/// Writes plain values as JSON (RFC 8259), like `JSONSerialization` without options but many times faster.
///
/// Plain values are strings, integers, floating-point numbers, booleans, `NSNull`, `NSNumber`, and arrays and
/// dictionaries of these. For any other value, including an invalid one, it reports that it cannot write it.
struct JSONWriter {
    private var text = JSONText()

    /// The JSON of an array or a dictionary; `nil` if any value is not plain.
    static func data(of root: Any) -> Data? {
        var writer = JSONWriter()
        let isWritten =
            writer.writeUsualContainer(root, of: type(of: root), depth: 0) ?? writer.writeContainer(root, depth: 0)
        return isWritten ? Data(writer.text.bytes) : nil
    }

    /// Writes a value; `false` if it is not plain.
    private mutating func write(_ value: Any, depth: Int) -> Bool {
        // By exact type: on Apple platforms a number casts to a boolean, and a boolean to a number.
        let type = type(of: value)
        if type == String.self, let string = value as? String {
            text.write(string)
        } else if type == Int.self, let number = value as? Int {
            text.write(number)
        } else if type == Bool.self, let bool = value as? Bool {
            text.write(bool)
        } else if type == Double.self, let number = value as? Double {
            return text.write(number)
        } else if type == Float.self, let number = value as? Float {
            return text.write(number)
        } else if type == CGFloat.self, let number = value as? CGFloat {
            return text.write(Double(number))
        } else if let isWritten = writeUsualContainer(value, of: type, depth: depth) {
            return isWritten
        } else if value is NSNull {
            text.writeNull()
        } else if type is any FixedWidthInteger.Type, let number = value as? any FixedWidthInteger {
            text.write(number)
        } else if type is NSNumber.Type, let number = value as? NSNumber {
            return write(number)
        } else {
            return writeContainer(value, depth: depth)
        }
        return true
    }

    /// Writes a container of a type whose cast converts no elements; `nil` if the value is not a container.
    private mutating func writeUsualContainer(_ value: Any, of type: any Any.Type, depth: Int) -> Bool? {
        guard depth < NestingError.deepest else { return false }
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
        guard depth < NestingError.deepest else { return false }
        if let entries = value as? [String: Any] { return write(entries, depth: depth) }
        if let elements = value as? [Any] { return write(elements, depth: depth) }
        return false
    }

    private mutating func write<Value>(_ entries: [String: Value], depth: Int) -> Bool {
        text.append(UInt8(ascii: "{"))
        var isFirst = true
        for (name, value) in entries {
            if !isFirst { text.append(UInt8(ascii: ",")) }
            isFirst = false
            text.write(name)
            text.append(UInt8(ascii: ":"))
            guard write(value, depth: depth + 1) else { return false }
        }
        text.append(UInt8(ascii: "}"))
        return true
    }

    private mutating func write<Element>(_ elements: [Element], depth: Int) -> Bool {
        text.append(UInt8(ascii: "["))
        var isFirst = true
        for element in elements {
            if !isFirst { text.append(UInt8(ascii: ",")) }
            isFirst = false
            guard write(element, depth: depth + 1) else { return false }
        }
        text.append(UInt8(ascii: "]"))
        return true
    }

    private mutating func write(_ number: NSNumber) -> Bool {
        if number.isBoolean {
            text.write(number.boolValue)
            return true
        }
        if number is NSDecimalNumber { return false }
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "d"): return text.write(number.doubleValue)
        case UInt8(ascii: "f"): return text.write(number.floatValue)
        case UInt8(ascii: "Q"): text.write(number.uint64Value)
        default: text.write(number.int64Value)
        }
        return true
    }
}
