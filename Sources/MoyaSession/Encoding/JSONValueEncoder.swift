/// Encodes one value at its place in the text.
struct JSONValueEncoder: Encoder {
    let writer: JSONValueWriter
    let place: JSONValueWriter.Place

    var codingPath: [any CodingKey] { writer.codingPath(at: place) }
    var userInfo: [CodingUserInfoKey: Any] { writer.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        writer.open(at: place, isObject: true)
        return KeyedEncodingContainer(JSONKeyedContainer(writer: writer, place: place))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        writer.open(at: place, isObject: false)
        return JSONUnkeyedContainer(writer: writer, place: place)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension JSONValueEncoder: SingleValueEncodingContainer {
    func encodeNil() throws {
        try writer.beginScalar(at: place)
        writer.writeNull()
    }

    func encode(_ value: Bool) throws {
        try writer.beginScalar(at: place)
        writer.write(value)
    }

    func encode(_ value: String) throws {
        try writer.beginScalar(at: place)
        writer.write(value)
    }

    func encode(_ value: Double) throws {
        try writer.beginScalar(at: place)
        try writer.write(value)
    }

    func encode(_ value: Float) throws {
        try writer.beginScalar(at: place)
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
        try writer.beginScalar(at: place)
        try writer.write(value, at: nil)
    }

    private func integer(_ value: some FixedWidthInteger) throws {
        try writer.beginScalar(at: place)
        writer.write(value)
    }
}
