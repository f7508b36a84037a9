import Foundation
import MoyaTransport

/// Scans JSON (RFC 8259) value by value, and only validates it.
struct JSONScanner {
    /// The bytes are not JSON, or nested too deep.
    struct Invalid: Error {}

    /// The maximum depth, as in Foundation.
    private static let maximumDepth = 512

    private let bytes: [UInt8]
    private var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Moves to the next byte that is not white space and returns it; `nil` at the end.
    @discardableResult
    mutating func skipSpace() -> UInt8? {
        while position < bytes.count {
            guard ASCII.isSpace(bytes[position]) else { return bytes[position] }
            position += 1
        }
        return nil
    }

    /// Skips the next value and returns its bytes, without recursion, at any depth.
    @discardableResult
    mutating func skipValue(depth: Int) throws(Invalid) -> ArraySlice<UInt8> {
        skipSpace()
        let start = position
        // The ends of the open objects and arrays.
        var ends: [UInt8] = []
        repeat {
            let next = skipSpace()
            if next == UInt8(ascii: "{") || next == UInt8(ascii: "[") {
                guard depth + ends.count < Self.maximumDepth else { throw Invalid() }
                position += 1
                let end = next == UInt8(ascii: "{") ? UInt8(ascii: "}") : UInt8(ascii: "]")
                if skipSpace() != end {
                    ends.append(end)
                    if end == UInt8(ascii: "}") { _ = try skipName() }
                    continue
                }
                position += 1
            } else {
                try skipScalar(next)
            }
            try skipEnds(&ends)
        } while !ends.isEmpty
        return bytes[start..<position]
    }

    /// Skips the ends that follow a value, or moves to the next value.
    private mutating func skipEnds(_ ends: inout [UInt8]) throws(Invalid) {
        while let end = ends.last {
            let next = skipSpace()
            position += 1
            guard next != end else {
                ends.removeLast()
                continue
            }
            guard next == UInt8(ascii: ",") else { throw Invalid() }
            skipSpace()
            if end == UInt8(ascii: "}") { _ = try skipName() }
            return
        }
    }

    private mutating func skipScalar(_ next: UInt8?) throws(Invalid) {
        switch next {
        case UInt8(ascii: "\""): try skipString()
        case UInt8(ascii: "t"): try skip("true")
        case UInt8(ascii: "f"): try skip("false")
        case UInt8(ascii: "n"): try skip("null")
        default: try skipNumber()
        }
    }

    /// Moves past the colon after a name, and returns the name in quotes.
    private mutating func skipName() throws(Invalid) -> ArraySlice<UInt8> {
        let start = position
        try skipString()
        let name = bytes[start..<position]
        skipSpace()
        try skip(":")
        return name
    }

    /// Iterates over the object or the array that begins here; the closure receives the name of each member, in quotes,
    /// and has to skip the value.
    mutating func forEachItem(
        depth: Int, _ body: (_ name: ArraySlice<UInt8>?, inout JSONScanner) throws(Invalid) -> Void
    ) throws(Invalid) {
        guard depth < Self.maximumDepth else { throw Invalid() }
        let isObject = current == UInt8(ascii: "{")
        let end = isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
        position += 1
        if skipSpace() == end {
            position += 1
            return
        }
        while true {
            skipSpace()
            try body(isObject ? skipName() : nil, &self)
            let next = skipSpace()
            position += 1
            if next == end { return }
            guard next == UInt8(ascii: ",") else { throw Invalid() }
        }
    }

    /// `true` if an unescaped name in quotes equals a key.
    static func isName(_ name: ArraySlice<UInt8>, _ key: [UInt8]) -> Bool {
        guard name.contains(UInt8(ascii: "\\")) else { return name.dropFirst().dropLast().elementsEqual(key) }
        let text = try? JSONSerialization.jsonObject(with: Data(name), options: .fragmentsAllowed) as? String
        return text?.utf8.elementsEqual(key) ?? false
    }

    private mutating func skip(_ text: StaticString) throws(Invalid) {
        let end = position + text.utf8CodeUnitCount
        guard end <= bytes.count, text.withUTF8Buffer({ $0.elementsEqual(bytes[position..<end]) }) else {
            throw Invalid()
        }
        position = end
    }

    private mutating func skipString() throws(Invalid) {
        try skip("\"")
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return
            case UInt8(ascii: "\\"): try skipEscape()
            case ..<0x20: throw Invalid()
            default: break
            }
        }
        throw Invalid()
    }

    private mutating func skipEscape() throws(Invalid) {
        guard position < bytes.count else { throw Invalid() }
        let byte = bytes[position]
        position += 1
        if byte == UInt8(ascii: "u") {
            guard position + 4 <= bytes.count,
                bytes[position..<position + 4].allSatisfy({ ASCII.hexDigit($0) != nil })
            else { throw Invalid() }
            position += 4
        } else if !#""\/bfnrt"#.utf8.contains(byte) {
            throw Invalid()
        }
    }

    /// A number (RFC 8259 section 6).
    private mutating func skipNumber() throws(Invalid) {
        if current == UInt8(ascii: "-") { position += 1 }
        if current == UInt8(ascii: "0") {
            position += 1
        } else {
            try skipDigits()
        }
        if current == UInt8(ascii: ".") {
            position += 1
            try skipDigits()
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            position += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
            try skipDigits()
        }
    }

    private mutating func skipDigits() throws(Invalid) {
        let start = position
        while let byte = current, ASCII.isDigit(byte) { position += 1 }
        guard position > start else { throw Invalid() }
    }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }
}
