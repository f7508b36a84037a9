import Foundation

/// Writes encoded values as JSON in one pass.
///
/// A value that is being written is a level. Containers and encoders know their level by its depth and serial number.
/// Writing to a level ends those within it; writing to one that has ended makes the text invalid.
///
/// `encode(to:)` of a value runs on one thread, and the writer is only used during it.
final class JSONValueWriter {
    let userInfo: [CodingUserInfoKey: Any]
    @exclusivity(unchecked) private var text = JSONText()
    @exclusivity(unchecked) private var levels: [Level] = []
    @exclusivity(unchecked) private var lastSerial = 0
    /// The texts of the keys in the current object and those around it, as ranges of the bytes.
    @exclusivity(unchecked) private var keys: [Range<Int>] = []
    @exclusivity(unchecked) private var isValid = true
    @exclusivity(unchecked) private var isEmpty = false

    /// The kind of what was written of a value.
    private enum Content {
        case none, scalar, object, array
    }

    /// A value that is being written.
    private struct Level {
        let serial: Int
        let key: (any CodingKey)?
        /// The type of the value; `nil` for a nested container.
        let type: Any.Type?
        let firstKey: Int
        var content = Content.none
        var count = 0
        /// `true` if the value is a dictionary, whose keys differ; known from the 16th key on.
        var hasUniqueKeys = false
    }

    /// A place where one value is written.
    struct Place {
        let depth: Int
        let serial: Int
    }

    init(userInfo: [CodingUserInfoKey: Any]) { self.userInfo = userInfo }

    /// The JSON of a value; `nil` if it cannot be written in one pass.
    func data(of value: some Encodable) -> Data? {
        do {
            try write(value, at: nil)
        } catch {
            return nil
        }
        // Foundation refuses a value that encodes nothing.
        return isValid && !isEmpty ? Data(text.bytes) : nil
    }

    // MARK: Levels

    /// Begins a value where the text stands.
    func beginLevel(_ key: (any CodingKey)?, _ type: Any.Type?) -> Place {
        lastSerial += 1
        levels.append(Level(serial: lastSerial, key: key, type: type, firstKey: keys.count))
        return Place(depth: levels.count - 1, serial: lastSerial)
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

    /// Makes a level the innermost; `false` if it has ended.
    private func enter(_ place: Place) -> Bool {
        guard place.depth < levels.count, levels[place.depth].serial == place.serial else {
            isValid = false
            return false
        }
        if levels.count > place.depth + 1 { endLevels(from: place.depth + 1) }
        return true
    }

    /// Opens an object or an array at a place, unless it is open.
    func open(at place: Place, isObject: Bool) {
        guard enter(place) else { return }
        let content = isObject ? Content.object : .array
        switch levels[place.depth].content {
        case .none:
            levels[place.depth].content = content
            text.append(isObject ? UInt8(ascii: "{") : UInt8(ascii: "["))
        case content: break
        // Foundation stops the program here.
        default: isValid = false
        }
    }

    func codingPath(at place: Place) -> [any CodingKey] {
        guard place.depth < levels.count, levels[place.depth].serial == place.serial else { return [] }
        return levels[...place.depth].compactMap(\.key)
    }

    // MARK: Members and elements

    /// Begins an element of an array.
    func beginElement(at place: Place) -> Bool {
        guard enter(place) else { return false }
        if levels[place.depth].count > 0 { text.append(UInt8(ascii: ",")) }
        levels[place.depth].count += 1
        return true
    }

    func count(at place: Place) -> Int {
        guard place.depth < levels.count, levels[place.depth].serial == place.serial else { return 0 }
        return levels[place.depth].count
    }

    /// Begins a member of an object, with its key.
    func beginMember(_ key: some CodingKey, at place: Place) -> Bool {
        guard beginElement(at: place) else { return false }
        let start = text.bytes.count
        text.write(key.stringValue)
        record(start..<text.bytes.count, at: place.depth)
        text.append(UInt8(ascii: ":"))
        return true
    }

    /// Records a key, and makes the text invalid if the object has it already, since the later value replaces the
    /// earlier, or if it has more keys than can be compared quickly.
    private func record(_ key: Range<Int>, at depth: Int) {
        let (count, first) = (levels[depth].count, levels[depth].firstKey)
        if count == 16 { levels[depth].hasUniqueKeys = levels[depth].type is any StringKeyed.Type }
        if levels[depth].hasUniqueKeys { return }
        if count > 512 { isValid = false }
        guard isValid else { return }
        text.bytes.withUnsafeBufferPointer { bytes in
            for other in keys[first...] where other.count == key.count {
                if bytes[other].elementsEqual(bytes[key]) { isValid = false }
            }
        }
        keys.append(key)
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
        if T.self == Double.self { return try write(unsafeBitCast(value, to: Double.self)) }
        if T.self == URL.self, let url = value as? URL { return text.write(url.absoluteString) }
        if T.self == Data.self, let data = value as? Data { return text.write(data.base64EncodedString()) }
        if T.self == Decimal.self, let decimal = value as? Decimal { return try write(decimal) }
        let place = beginLevel(key(), T.self)
        do {
            try value.encode(to: JSONValueEncoder(writer: self, place: place))
        } catch {
            isValid = false
            throw error
        }
        endLevels(from: place.depth)
    }

    /// Records that a value has a scalar, and nothing else.
    func beginScalar(at place: Place) -> Bool {
        guard enter(place), levels[place.depth].content == .none else {
            isValid = false
            return false
        }
        levels[place.depth].content = .scalar
        return true
    }

    func writeNull() { text.writeNull() }
    func write(_ bool: Bool) { text.write(bool) }
    func write(_ string: String) { text.write(string) }
    func write(_ number: some FixedWidthInteger) { text.write(number) }

    /// - Throws: An error for infinity and NaN.
    func write(_ number: some BinaryFloatingPoint & CustomStringConvertible) throws {
        guard text.write(number) else { throw leftToFoundation() }
    }

    private func write(_ decimal: Decimal) throws {
        guard decimal.isFinite else { throw leftToFoundation() }
        decimal.description.utf8.forEach { text.append($0) }
    }

    /// Makes the text invalid, since the value may catch the error.
    private func leftToFoundation() -> any Error {
        isValid = false
        return NotWritten()
    }

    private struct NotWritten: Error {
        init() {}
    }
}

/// A dictionary whose keys are strings.
private protocol StringKeyed {}

extension Dictionary: StringKeyed where Key == String {}
