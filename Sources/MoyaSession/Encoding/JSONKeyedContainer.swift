/// Writes the members of an object.
struct JSONKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let writer: JSONValueWriter
    let position: JSONValueWriter.Position

    var codingPath: [any CodingKey] { writer.codingPath(at: position) }

    func encodeNil(forKey key: Key) throws { try begin(key).writeNull() }
    func encode(_ value: Bool, forKey key: Key) throws { try begin(key).write(value) }
    func encode(_ value: String, forKey key: Key) throws { try begin(key).write(value) }
    func encode(_ value: Double, forKey key: Key) throws { try begin(key).write(value) }
    func encode(_ value: Float, forKey key: Key) throws { try begin(key).write(value) }
    func encode(_ value: Int, forKey key: Key) throws { try begin(key).write(value) }
    func encode(_ value: Int8, forKey key: Key) throws { try begin(key).write(value) }
    func encode(_ value: Int16, forKey key: Key) throws { try begin(key).write(value) }
    func encode(_ value: Int32, forKey key: Key) throws { try begin(key).write(value) }
    func encode(_ value: Int64, forKey key: Key) throws { try begin(key).write(value) }
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: Int128, forKey key: Key) throws { try begin(key).write(value) }
    func encode(_ value: UInt, forKey key: Key) throws { try begin(key).write(value) }
    func encode(_ value: UInt8, forKey key: Key) throws { try begin(key).write(value) }
    func encode(_ value: UInt16, forKey key: Key) throws { try begin(key).write(value) }
    func encode(_ value: UInt32, forKey key: Key) throws { try begin(key).write(value) }
    func encode(_ value: UInt64, forKey key: Key) throws { try begin(key).write(value) }
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: UInt128, forKey key: Key) throws { try begin(key).write(value) }
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try begin(key).write(value, at: key) }

    /// Begins a member, whose value the returned writer writes.
    @inline(__always)
    private func begin(_ key: Key) throws -> JSONValueWriter {
        try writer.beginMember(key, at: position)
        return writer
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        nestedEncoder(key, .nested).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        nestedEncoder(key, .nested).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { nestedEncoder(PathKey.superclass, .super) }

    func superEncoder(forKey key: Key) -> any Encoder { nestedEncoder(key, .super) }

    private func nestedEncoder(_ key: some CodingKey, _ kind: JSONValueWriter.LevelKind) -> JSONValueEncoder {
        // An error makes the text invalid.
        try? writer.beginMember(key, at: position)
        return JSONValueEncoder(writer: writer, position: writer.beginLevel(key, kind, in: position))
    }
}
