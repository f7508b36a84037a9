import Foundation

/// Writes encoded values as JSON in one pass.
///
/// A value that is being written is a level. Containers and encoders know their level by its depth and serial number.
/// Writing to a level ends those within it. What cannot be written in order makes the text invalid, and an error ends the
/// pass early.
///
/// `encode(to:)` of a value runs on one thread, and the writer is only used during it.
final class JSONValueWriter {
    let userInfo: [CodingUserInfoKey: Any]
    @exclusivity(unchecked) private var text = JSONText()
    @exclusivity(unchecked) private var levels: [Level] = []
    @exclusivity(unchecked) private var lastSerial = 0
    /// The first keys of the current object and of those around it.
    @exclusivity(unchecked) private var keys: [String] = []
    /// `false` if Foundation has to write the value; its levels are counted nevertheless.
    @exclusivity(unchecked) private var isValid = true
    /// `true` if the pass has ended: the position of what follows is not known.
    @exclusivity(unchecked) private var isLost = false
    @exclusivity(unchecked) private var isEmpty = false
    /// The error for a value that is nested too deep, which the values around it may catch.
    @exclusivity(unchecked) private var nesting: EncodingError?

    /// The number of an object's keys that are compared one by one.
    private static let fewKeys = 16

    /// The kind of what was written of a value.
    private enum Content {
        case none, scalar, object, array
    }

    /// The origin of a level.
    enum LevelKind {
        /// A value, which is written whole before anything follows.
        case value(any Any.Type)
        case nested, `super`

        var type: any Any.Type { if case .value(let type) = self { type } else { Any.self } }
    }

    /// A value that is being written.
    private struct Level {
        let serial: Int
        let key: (any CodingKey)?
        let kind: LevelKind
        let firstKey: Int
        var content = Content.none
        var count = 0
        /// All keys of an object with many.
        var manyKeys: Set<String> = []
        /// `true` if the value is a dictionary with many keys, which differ.
        var hasUniqueKeys = false

        var isValue: Bool { if case .value = kind { true } else { false } }
        var isNested: Bool { if case .nested = kind { true } else { false } }
    }

    /// A position where one value is written.
    struct Position {
        let depth: Int
        let serial: Int
    }

    init(userInfo: [CodingUserInfoKey: Any]) { self.userInfo = userInfo }

    /// The JSON of a value; `nil` if it cannot be written in one pass.
    ///
    /// - Throws: An error with a ``NestingError`` for a value that is nested too deep.
    func data(of value: some Encodable) throws(EncodingError) -> Data? {
        let isWritten = (try? write(value, at: nil)) != nil
        // Foundation's encoder would overflow the stack.
        if let nesting { throw nesting }
        guard isWritten else { return nil }
        // Foundation refuses a value that encodes nothing.
        return isValid && !isEmpty ? Data(text.bytes) : nil
    }

    /// Ends the pass, also if the value catches the error.
    private func leftToFoundation() -> any Error {
        isValid = false
        isLost = true
        return NotWritten()
    }

    private struct NotWritten: Error {
        init() {}
    }

    // MARK: Levels

    /// Begins a value where the text stands, within a container.
    ///
    /// - Parameter parent: The position of the container; `nil` for the innermost one.
    func beginLevel(_ key: (any CodingKey)?, _ kind: LevelKind, in parent: Position? = nil) -> Position {
        lastSerial += 1
        // After the end of the pass, levels are not ended, but their number must remain that of the value.
        if isLost, let parent { levels.removeLast(max(0, levels.count - parent.depth - 1)) }
        if levels.count > NestingError.deepest {
            isValid = false
            isLost = true
            nesting = nesting ?? .tooDeep(kind.type, at: levels.compactMap(\.key))
        }
        levels.append(Level(serial: lastSerial, key: key, kind: kind, firstKey: keys.count))
        return Position(depth: levels.count - 1, serial: lastSerial)
    }

    /// Ends the levels at a depth and beyond.
    private func endLevels(from depth: Int) {
        while levels.count > depth, let level = levels.popLast() {
            switch level.content {
            case .none:
                isEmpty = levels.isEmpty
                text.append(UInt8(ascii: "{"))
                text.append(UInt8(ascii: "}"))
            case .object: text.append(UInt8(ascii: "}"))
            case .array: text.append(UInt8(ascii: "]"))
            case .scalar: break
            }
            keys.removeLast(keys.count - level.firstKey)
        }
    }

    /// `true` if the level of a position has not ended, and no value within it is being written.
    private func isOpen(_ position: Position) -> Bool {
        guard position.depth < levels.count, levels[position.depth].serial == position.serial else { return false }
        return levels.count == position.depth + 1 || !levels[position.depth + 1].isValue
    }

    /// Makes a level the innermost.
    private func enter(_ position: Position) throws {
        guard !isLost, isOpen(position) else { throw leftToFoundation() }
        if levels.count > position.depth + 1 { endLevels(from: position.depth + 1) }
    }

    /// Opens an object or an array at a position, unless it is open.
    func open(at position: Position, isObject: Bool) {
        // An error makes the text invalid.
        guard (try? enter(position)) != nil else { return }
        let content = isObject ? Content.object : .array
        switch levels[position.depth].content {
        case .none:
            levels[position.depth].content = content
            text.append(isObject ? UInt8(ascii: "{") : UInt8(ascii: "["))
        case content: break
        // Foundation stops the program here.
        default: _ = leftToFoundation()
        }
    }

    /// The path to a position, with the keys of nested containers only for those containers, as Foundation's.
    func codingPath(at position: Position) -> [any CodingKey] {
        guard position.depth < levels.count, levels[position.depth].serial == position.serial else {
            isValid = false
            return []
        }
        let path = levels[...position.depth]
        let last = path.lastIndex { !$0.isNested } ?? 0
        return path.indices.compactMap { $0 > last || !path[$0].isNested ? path[$0].key : nil }
    }

    // MARK: Members and elements

    /// Begins an element of an array.
    func beginElement(at position: Position) throws {
        try enter(position)
        if levels[position.depth].count > 0 { text.append(UInt8(ascii: ",")) }
        levels[position.depth].count += 1
    }

    func count(at position: Position) -> Int {
        guard isOpen(position) else {
            isValid = false
            return 0
        }
        return levels[position.depth].count
    }

    /// Begins a member of an object, with its key.
    func beginMember(_ key: some CodingKey, at position: Position) throws {
        try beginElement(at: position)
        let name = key.stringValue
        text.write(name)
        record(name, at: position.depth)
        text.append(UInt8(ascii: ":"))
    }

    /// Records a key, and makes the text invalid if the object has it already, since the later value replaces the
    /// earlier.
    private func record(_ key: String, at depth: Int) {
        if levels[depth].hasUniqueKeys { return }
        let (count, first) = (levels[depth].count, levels[depth].firstKey)
        if count <= Self.fewKeys {
            if keys[first...].contains(key) { isValid = false }
            return keys.append(key)
        }
        if levels[depth].manyKeys.isEmpty {
            if case .value(let type) = levels[depth].kind, type is any StringKeyed.Type {
                levels[depth].hasUniqueKeys = true
                return
            }
            levels[depth].manyKeys = Set(keys[first...])
        }
        if !levels[depth].manyKeys.insert(key).inserted { isValid = false }
    }

    /// Records that a value has a scalar, and nothing else.
    func beginScalar(at position: Position) throws {
        try enter(position)
        guard levels[position.depth].content == .none else { throw leftToFoundation() }
        levels[position.depth].content = .scalar
    }

    // MARK: Values

    /// Encodes a value where the text stands.
    ///
    /// - Throws: The value's own error; the text is then invalid.
    func write<T: Encodable>(_ value: T, at key: @autoclosure () -> (any CodingKey)?) throws {
        // The elements of arrays and dictionaries come here whatever their type. A bit cast between equal types is
        // faster than a dynamic cast.
        if T.self == String.self { return text.write(unsafeBitCast(value, to: String.self)) }
        if T.self == Int.self { return text.write(unsafeBitCast(value, to: Int.self)) }
        if T.self == Double.self { return write(unsafeBitCast(value, to: Double.self)) }
        if T.self == URL.self, let url = value as? URL { return text.write(url.absoluteString) }
        if T.self == Data.self, let data = value as? Data { return text.write(data.base64EncodedString()) }
        if T.self == Decimal.self, let decimal = value as? Decimal { return write(decimal) }
        let position = beginLevel(key(), .value(T.self))
        guard nesting == nil else { throw NotWritten() }
        do {
            try value.encode(to: JSONValueEncoder(writer: self, position: position))
        } catch {
            isValid = false
            isLost = true
            levels.removeLast(max(0, levels.count - position.depth))
            throw error
        }
        endLevels(from: position.depth)
    }

    func writeNull() { text.writeNull() }
    func write(_ bool: Bool) { text.write(bool) }
    func write(_ string: String) { text.write(string) }
    func write(_ number: some FixedWidthInteger) { text.write(number) }

    /// Writes a number; infinity and NaN make the text invalid.
    func write(_ number: some BinaryFloatingPoint & CustomStringConvertible) {
        if !text.write(number) { isValid = false }
    }

    private func write(_ decimal: Decimal) {
        if !decimal.isFinite { isValid = false }
        decimal.description.utf8.forEach { text.append($0) }
    }
}

/// A dictionary whose keys are strings.
private protocol StringKeyed {}

extension Dictionary: StringKeyed where Key == String {}
