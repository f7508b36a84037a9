/// Writes the elements of an array.
struct JSONUnkeyedContainer: UnkeyedEncodingContainer {
    let writer: JSONValueWriter
    let place: JSONValueWriter.Place

    var codingPath: [any CodingKey] { writer.codingPath(at: place) }
    var count: Int { writer.count(at: place) }

    func encodeNil() { if writer.beginElement(at: place) { writer.writeNull() } }
    func encode(_ value: Bool) { if writer.beginElement(at: place) { writer.write(value) } }
    func encode(_ value: String) { if writer.beginElement(at: place) { writer.write(value) } }
    func encode(_ value: Double) throws { if writer.beginElement(at: place) { try writer.write(value) } }
    func encode(_ value: Float) throws { if writer.beginElement(at: place) { try writer.write(value) } }
    func encode(_ value: Int) { integer(value) }
    func encode(_ value: Int8) { integer(value) }
    func encode(_ value: Int16) { integer(value) }
    func encode(_ value: Int32) { integer(value) }
    func encode(_ value: Int64) { integer(value) }
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: Int128) { integer(value) }
    func encode(_ value: UInt) { integer(value) }
    func encode(_ value: UInt8) { integer(value) }
    func encode(_ value: UInt16) { integer(value) }
    func encode(_ value: UInt32) { integer(value) }
    func encode(_ value: UInt64) { integer(value) }
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: UInt128) { integer(value) }

    func encode<T: Encodable>(_ value: T) throws {
        let index = count
        if writer.beginElement(at: place) { try writer.write(value, at: JSONIndexKey(index)) }
    }

    private func integer(_ value: some FixedWidthInteger) {
        if writer.beginElement(at: place) { writer.write(value) }
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        nestedEncoder().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nestedEncoder().unkeyedContainer() }

    func superEncoder() -> any Encoder { nestedEncoder() }

    private func nestedEncoder() -> JSONValueEncoder {
        let index = count
        _ = writer.beginElement(at: place)
        return JSONValueEncoder(writer: writer, place: writer.beginLevel(JSONIndexKey(index), nil))
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
