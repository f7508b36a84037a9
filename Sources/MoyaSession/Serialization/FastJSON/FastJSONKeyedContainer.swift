#if FastJSON
import Foundation

/// The members of an object as a keyed container.
struct FastJSONKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: FastJSONValueDecoder
    let members: FastJSONMembers

    var codingPath: [any CodingKey] { decoder.codingPath }
    var allKeys: [Key] { members.names.compactMap(Key.init(stringValue:)) }

    func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try node(key).isNull }

    func decode(_: Bool.Type, forKey key: Key) throws -> Bool {
        let node = try node(key)
        return node.isBool ? node.bool : try decoder.bool(node, key)
    }
    func decode(_: String.Type, forKey key: Key) throws -> String {
        let node = try node(key)
        return node.isString ? node.string : try decoder.string(node, key)
    }
    func decode(_: Double.Type, forKey key: Key) throws -> Double {
        let node = try node(key)
        return try node.normalDouble ?? decoder.double(node, key)
    }
    func decode(_: Float.Type, forKey key: Key) throws -> Float { try decoder.float(node(key), key) }
    func decode(_: Int.Type, forKey key: Key) throws -> Int { try integer(key) }
    func decode(_: Int8.Type, forKey key: Key) throws -> Int8 { try integer(key) }
    func decode(_: Int16.Type, forKey key: Key) throws -> Int16 { try integer(key) }
    func decode(_: Int32.Type, forKey key: Key) throws -> Int32 { try integer(key) }
    func decode(_: Int64.Type, forKey key: Key) throws -> Int64 { try integer(key) }
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func decode(_: Int128.Type, forKey key: Key) throws -> Int128 { try integer(key) }
    func decode(_: UInt.Type, forKey key: Key) throws -> UInt { try integer(key) }
    func decode(_: UInt8.Type, forKey key: Key) throws -> UInt8 { try integer(key) }
    func decode(_: UInt16.Type, forKey key: Key) throws -> UInt16 { try integer(key) }
    func decode(_: UInt32.Type, forKey key: Key) throws -> UInt32 { try integer(key) }
    func decode(_: UInt64.Type, forKey key: Key) throws -> UInt64 { try integer(key) }
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func decode(_: UInt128.Type, forKey key: Key) throws -> UInt128 { try integer(key) }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try decoder.decode(type, node(key), key) }

    // Those of the most frequent types look a key up once, where the default implementations do three times.
    func decodeIfPresent(_: Bool.Type, forKey key: Key) throws -> Bool? {
        try present(key).map { $0.isBool ? $0.bool : try decoder.bool($0, key) }
    }
    func decodeIfPresent(_: String.Type, forKey key: Key) throws -> String? {
        try present(key).map { $0.isString ? $0.string : try decoder.string($0, key) }
    }
    func decodeIfPresent(_: Double.Type, forKey key: Key) throws -> Double? {
        try present(key).map { try $0.normalDouble ?? decoder.double($0, key) }
    }
    func decodeIfPresent(_: Int.Type, forKey key: Key) throws -> Int? {
        try present(key).map { try $0.shortInteger(Int.self) ?? decoder.integer($0, key) }
    }
    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        try present(key).map { try decoder.decode(type, $0, key) }
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws
        -> KeyedDecodingContainer<Nested>
    {
        try decoder.nested(node(key), key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder.nested(node(key), key).unkeyedContainer()
    }

    func superDecoder() -> any Decoder { decoder.nested(members["super"], PathKey.superclass) }
    func superDecoder(forKey key: Key) -> any Decoder { decoder.nested(members[key.stringValue], key) }

    // A key is made an existential, which takes as long as finding the member, only for what is rare or wrong.
    private func integer<T: FixedWidthInteger & Decodable>(_ key: Key) throws -> T {
        let node = try node(key)
        return try node.shortInteger(T.self) ?? decoder.integer(node, key)
    }

    private func node(_ key: Key) throws -> FastJSONNode {
        if let node = members[key.stringValue] { return node }
        throw DecodingError.keyNotFound(
            key, .init(codingPath: codingPath, debugDescription: "No value for the key \"\(key.stringValue)\"."))
    }

    private func present(_ key: Key) -> FastJSONNode? {
        guard let node = members[key.stringValue], !node.isNull else { return nil }
        return node
    }
}
#endif
