/// Encodes one value at its position in the text.
struct JSONValueEncoder: Encoder {
    let writer: JSONValueWriter
    let position: JSONValueWriter.Position

    var codingPath: [any CodingKey] { writer.codingPath(at: position) }
    var userInfo: [CodingUserInfoKey: Any] { writer.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        writer.open(at: position, isObject: true)
        return KeyedEncodingContainer(JSONKeyedContainer(writer: writer, position: position))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        writer.open(at: position, isObject: false)
        return JSONUnkeyedContainer(writer: writer, position: position)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension JSONValueEncoder: SingleValueEncodingContainer, JSONElementContainer {
    @inline(__always)
    func begin() throws -> JSONValueWriter {
        try writer.beginScalar(at: position)
        return writer
    }

    // Not in the protocol: the standard library has a special extension for these two types.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: Int128) throws { try begin().write(value) }
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: UInt128) throws { try begin().write(value) }

    func encode<T: Encodable>(_ value: T) throws { try begin().write(value, at: nil) }
}
