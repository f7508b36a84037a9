import Foundation
import MoyaTransport

/// Finds the elements of a JSON array, or of a JSON text sequence (RFC 7464), when their last byte arrives.
///
/// It examines only brackets and strings: an element that is not JSON is detected when it is decoded.
struct JSONElementScanner {
    enum Framing {
        case array
        case sequence
    }

    /// The bytes that may come next between two elements.
    private enum Expected {
        case opening
        case firstElement
        case element
        case separator
        case end
    }

    private static let recordSeparator: UInt8 = 0x1E

    private let framing: Framing
    private let limit: Int
    private var buffer: [UInt8] = []
    private var position = 0
    /// The number of bytes before those in the buffer; a stream may be longer than an `Int` of 32 bits can count.
    private var dropped: Int64
    private var expected: Expected
    /// The start of the incomplete element.
    private var start: Int?
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    private var isFinished = false

    /// - Parameter offset: The number of bytes of the body before the first appended one.
    init(_ framing: Framing, limit: Int, offset: Int64 = 0) {
        self.framing = framing
        self.limit = limit
        dropped = offset
        expected = framing == .array ? .opening : .element
    }

    mutating func append(_ bytes: some Collection<UInt8>) {
        let kept = start ?? position
        if kept > 0 {
            buffer.removeFirst(kept)
            dropped += Int64(kept)
            position -= kept
            if start != nil { start = 0 }
        }
        buffer.append(contentsOf: bytes)
    }

    mutating func finish() { isFinished = true }

    /// The next element; an error of one element does not affect the following ones.
    mutating func next() throws(ResponseStreamError) -> Data? {
        while position < buffer.count {
            let byte = buffer[position]
            if let start {
                guard position - start <= limit else { throw .elementTooLong(limit: limit) }
                if framing == .sequence, byte == Self.recordSeparator { throw truncated(from: start) }
                if let end = end(of: byte) {
                    // The last byte of an object, an array or a string belongs to the element.
                    guard end - start <= limit else { throw .elementTooLong(limit: limit) }
                    return element(from: start, to: end)
                }
                position += 1
            } else {
                try begin(with: byte)
            }
        }
        guard isFinished else { return nil }
        isFinished = false
        if let start { throw truncated(from: start) }
        if framing == .array, expected != .end, expected != .opening { throw .truncatedElement("") }
        return nil
    }

    /// The number of bytes of the body before the current one.
    private var offset: Int { Int(clamping: dropped + Int64(position)) }

    /// Handles a byte between two elements.
    private mutating func begin(with byte: UInt8) throws(ResponseStreamError) {
        defer { position += 1 }
        if ASCII.isSpace(byte) || framing == .sequence && byte == Self.recordSeparator { return }
        switch (expected, byte) {
        case (.opening, UInt8(ascii: "[")): return expected = .firstElement
        case (.separator, UInt8(ascii: ",")) where framing == .array: return expected = .element
        case (.separator, UInt8(ascii: "]")) where framing == .array, (.firstElement, UInt8(ascii: "]")):
            return expected = .end
        case (.firstElement, _), (.element, _): break
        default: throw .malformedArray(offset: offset)
        }
        if framing == .array, byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}") {
            throw .malformedArray(offset: offset)
        }
        start = position
        depth = Self.opens(byte) ? 1 : 0
        isInString = byte == UInt8(ascii: "\"")
        isEscaped = false
    }

    /// Handles a byte within an element; returns the element's end if this byte ends it.
    private mutating func end(of byte: UInt8) -> Int? {
        if isInString {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInString = false
                return depth == 0 ? position + 1 : nil
            }
            return nil
        }
        if depth == 0 {
            let isSeparator = byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]")
            return ASCII.isSpace(byte) || framing == .array && isSeparator ? position : nil
        }
        if byte == UInt8(ascii: "\"") {
            isInString = true
        } else if Self.opens(byte) {
            depth += 1
        } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
            depth -= 1
            if depth == 0 { return position + 1 }
        }
        return nil
    }

    private mutating func element(from start: Int, to end: Int) -> Data {
        self.start = nil
        position = end
        if framing == .array { expected = .separator }
        return Data(buffer[start..<end])
    }

    private mutating func truncated(from start: Int) -> ResponseStreamError {
        self.start = nil
        return .truncatedElement(String(decoding: buffer[start..<position], as: UTF8.self))
    }

    private static func opens(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") }
}
