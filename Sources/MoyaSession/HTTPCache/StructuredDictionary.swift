import MoyaTransport

/// A dictionary of a structured field (RFC 9651 section 3.2), parsed completely or not at all.
///
/// Numbers, tokens, byte sequences, dates and parameters are validated and ignored, since no field that the cache reads
/// uses their values.
struct StructuredDictionary: Sendable, Equatable {
    enum Value: Sendable, Equatable {
        case boolean(Bool)
        case string(String)
        /// Strings; `nil` for members of other types.
        case list([String?])
        case other
    }

    private(set) var members: [String: Value] = [:]

    subscript(name: String) -> Value? { members[name] }

    /// Parses the value of a field, or several lines joined by commas; `nil` if it is malformed.
    init?(_ text: String) {
        var reader = Reader(bytes: Array(text.utf8))
        reader.skip { $0 == 0x20 }
        while !reader.isAtEnd {
            guard let key = reader.key() else { return nil }
            if reader.take("=") {
                guard let value = reader.peek == "(" ? reader.innerList() : reader.item() else { return nil }
                members[key] = value
            } else {
                members[key] = .boolean(true)
            }
            guard reader.parameters() else { return nil }
            reader.skip(ASCII.isBlank)
            if reader.isAtEnd { return }
            guard reader.take(",") else { return nil }
            reader.skip(ASCII.isBlank)
            // A comma must be followed by a member.
            if reader.isAtEnd { return nil }
        }
    }

    /// The grammar of items, byte by byte (RFC 9651 section 4.2).
    private struct Reader {
        let bytes: [UInt8]
        var position = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        var isAtEnd: Bool { position >= bytes.count }
        var peek: Unicode.Scalar? { isAtEnd ? nil : Unicode.Scalar(bytes[position]) }

        mutating func take(_ scalar: Unicode.Scalar) -> Bool {
            guard peek == scalar else { return false }
            position += 1
            return true
        }

        @discardableResult
        mutating func skip(_ isSkipped: (UInt8) -> Bool) -> ArraySlice<UInt8> {
            let start = position
            while position < bytes.count, isSkipped(bytes[position]) { position += 1 }
            return bytes[start..<position]
        }

        mutating func key() -> String? {
            guard let first = peek, first == "*" || ("a"..."z").contains(first) else { return nil }
            let name = skip { byte in
                let scalar = Unicode.Scalar(byte)
                return ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar)
                    || "_-.*".unicodeScalars.contains(scalar)
            }
            return String(decoding: name, as: UTF8.self)
        }

        mutating func parameters() -> Bool {
            while take(";") {
                skip { $0 == 0x20 }
                guard key() != nil else { return false }
                if take("="), item() == nil { return false }
            }
            return true
        }

        mutating func innerList() -> Value? {
            guard take("(") else { return nil }
            var items: [String?] = []
            while true {
                skip { $0 == 0x20 }
                if take(")") { return .list(items) }
                guard let value = item(), parameters() else { return nil }
                if case .string(let text) = value { items.append(text) } else { items.append(nil) }
                guard peek == " " || peek == ")" else { return nil }
            }
        }

        mutating func item() -> Value? {
            switch peek {
            case "\""?: return string().map { .string($0) }
            case "?"?: return boolean()
            case ":"?: return bytesInBase64() ? .other : nil
            case "@"?:
                position += 1
                return number(isWhole: true) ? .other : nil
            case "%"?:
                position += 1
                return string(isEncoded: true) == nil ? nil : .other
            case let first? where first == "-" || ("0"..."9").contains(first): return number() ? .other : nil
            case let first? where first == "*" || ("a"..."z").contains(first) || ("A"..."Z").contains(first):
                skip(Self.isToken)
                return .other
            default: return nil
            }
        }

        private static func isToken(_ byte: UInt8) -> Bool {
            switch byte {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
            default: "!#$%&'*+-.^_`|~:/".utf8.contains(byte)
            }
        }

        private mutating func boolean() -> Value? {
            position += 1
            if take("1") { return .boolean(true) }
            return take("0") ? .boolean(false) : nil
        }

        private mutating func string(isEncoded: Bool = false) -> String? {
            guard take("\"") else { return nil }
            var text: [UInt8] = []
            while position < bytes.count {
                let byte = bytes[position]
                position += 1
                switch byte {
                case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
                case UInt8(ascii: "\\") where !isEncoded:
                    guard let next = peek, next == "\"" || next == "\\" else { return nil }
                    text.append(bytes[position])
                    position += 1
                case 0x20...0x7e: text.append(byte)
                default: return nil
                }
            }
            return nil
        }

        private mutating func bytesInBase64() -> Bool {
            position += 1
            skip { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="):
                    true
                default: false
                }
            }
            return take(":")
        }

        /// At most 15 digits, or 12 before a point and 3 after it.
        private mutating func number(isWhole: Bool = false) -> Bool {
            _ = take("-")
            let digits = skip(ASCII.isDigit).count
            guard (1...15).contains(digits) else { return false }
            guard !isWhole, take(".") else { return true }
            return digits <= 12 && (1...3).contains(skip(ASCII.isDigit).count)
        }
    }
}
