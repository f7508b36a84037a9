/// Writes the elements of an array.
struct JSONUnkeyedContainer: UnkeyedEncodingContainer, JSONElementContainer {
    let writer: JSONValueWriter
    let position: JSONValueWriter.Position

    var codingPath: [any CodingKey] { writer.codingPath(at: position) }
    var count: Int { writer.count(at: position) }

    @inline(__always)
    func begin() throws -> JSONValueWriter {
        try writer.beginElement(at: position)
        return writer
    }

    // Not in the protocol: the standard library has a special extension for these two types.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: Int128) throws { try begin().write(value) }
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: UInt128) throws { try begin().write(value) }

    func encode<T: Encodable>(_ value: T) throws {
        let index = count
        try begin().write(value, at: PathKey.index(index))
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        nestedEncoder(.nested).container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nestedEncoder(.nested).unkeyedContainer() }

    func superEncoder() -> any Encoder { nestedEncoder(.super) }

    private func nestedEncoder(_ kind: JSONValueWriter.LevelKind) -> JSONValueEncoder {
        let index = count
        // An error makes the text invalid.
        _ = try? begin()
        return JSONValueEncoder(writer: writer, position: writer.beginLevel(PathKey.index(index), kind, in: position))
    }
}
