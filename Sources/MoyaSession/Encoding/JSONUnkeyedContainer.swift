/// Writes the elements of an array.
struct JSONUnkeyedContainer: UnkeyedEncodingContainer {
    let writer: JSONValueWriter
    let place: JSONValueWriter.Place

    var codingPath: [any CodingKey] { writer.codingPath(at: place) }
    var count: Int { writer.count(at: place) }

    func encodeNil() throws {
        try writer.beginElement(at: place)
        writer.writeNull()
    }

    func encode(_ value: Bool) throws {
        try writer.beginElement(at: place)
        writer.write(value)
    }

    func encode(_ value: String) throws {
        try writer.beginElement(at: place)
        writer.write(value)
    }

    func encode(_ value: Double) throws {
        try writer.beginElement(at: place)
        try writer.write(value)
    }

    func encode(_ value: Float) throws {
        try writer.beginElement(at: place)
        try writer.write(value)
    }

    func encode(_ value: Int) throws { try integer(value) }
    func encode(_ value: Int8) throws { try integer(value) }
    func encode(_ value: Int16) throws { try integer(value) }
    func encode(_ value: Int32) throws { try integer(value) }
    func encode(_ value: Int64) throws { try integer(value) }
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: Int128) throws { try integer(value) }
    func encode(_ value: UInt) throws { try integer(value) }
    func encode(_ value: UInt8) throws { try integer(value) }
    func encode(_ value: UInt16) throws { try integer(value) }
    func encode(_ value: UInt32) throws { try integer(value) }
    func encode(_ value: UInt64) throws { try integer(value) }
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: UInt128) throws { try integer(value) }

    func encode<T: Encodable>(_ value: T) throws {
        let index = count
        try writer.beginElement(at: place)
        try writer.write(value, at: JSONIndexKey(index))
    }

    private func integer(_ value: some FixedWidthInteger) throws {
        try writer.beginElement(at: place)
        writer.write(value)
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        nestedEncoder(.nested).container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nestedEncoder(.nested).unkeyedContainer() }

    func superEncoder() -> any Encoder { nestedEncoder(.super) }

    private func nestedEncoder(_ kind: JSONValueWriter.LevelKind) -> JSONValueEncoder {
        let index = count
        // An error makes the text invalid.
        try? writer.beginElement(at: place)
        return JSONValueEncoder(writer: writer, place: writer.beginLevel(JSONIndexKey(index), kind))
    }
}

/// The index of an element in a coding path.
private struct JSONIndexKey: CodingKey {
    let index: Int

    init(_ index: Int) { self.index = index }
    init?(stringValue: String) { nil }
    init?(intValue: Int) { index = intValue }

    var stringValue: String { "Index \(index)" }
    var intValue: Int? { index }
}
