#if FastJSON
import Foundation
import yyjson

/// Decodes one value of a document, and is a node of the coding path.
final class FastJSONValueDecoder: Decoder {
    let document: FastJSONDocument
    /// The value; `nil` stands for the null that the super decoder of a missing key has.
    let node: FastJSONNode?
    /// `true` for a dictionary, whose keys no strategy converts.
    var keepsKeys = false

    private let parent: FastJSONValueDecoder?
    private let key: (any CodingKey)?

    init(
        _ document: FastJSONDocument, _ node: FastJSONNode?, _ parent: FastJSONValueDecoder?, _ key: (any CodingKey)?
    ) {
        self.document = document
        self.node = node
        self.parent = parent
        self.key = key
    }

    /// A second decoder for the same value, at the same place.
    init(sibling decoder: FastJSONValueDecoder) {
        document = decoder.document
        node = decoder.node
        parent = decoder.parent
        key = decoder.key
    }

    var codingPath: [any CodingKey] {
        var path: [any CodingKey] = []
        var decoder: FastJSONValueDecoder? = self
        while let current = decoder {
            if let key = current.key { path.append(key) }
            decoder = current.parent
        }
        return path.reversed()
    }

    var userInfo: [CodingUserInfoKey: Any] { document.strategies.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard let node, node.isObject else { throw mismatch([String: Any].self, node, nil) }
        let members = FastJSONMembers(of: node, in: document, keepsKeys: keepsKeys)
        return KeyedDecodingContainer(FastJSONKeyedContainer(decoder: self, members: members))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard let node, node.isArray else { throw mismatch([Any].self, node, nil) }
        return FastJSONUnkeyedContainer(decoder: self, array: node)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    /// A decoder for a value in this one.
    func nested(_ node: FastJSONNode?, _ key: any CodingKey) -> FastJSONValueDecoder {
        FastJSONValueDecoder(document, node, self, key)
    }

    /// The error for a value of another kind than the one asked for.
    func mismatch(_ type: Any.Type, _ node: FastJSONNode?, _ key: (any CodingKey)?) -> DecodingError {
        let path = key.map { codingPath + [$0] } ?? codingPath
        guard let node, !node.isNull else {
            return .valueNotFound(type, .init(codingPath: path, debugDescription: "Expected \(type), found null."))
        }
        return .typeMismatch(type, .init(codingPath: path, debugDescription: "Expected \(type), found \(node.kind)."))
    }

    /// The error for a value of the right kind that cannot be represented.
    func corrupted(_ type: Any.Type, _ node: FastJSONNode, _ key: (any CodingKey)?) -> DecodingError {
        let path = key.map { codingPath + [$0] } ?? codingPath
        return .dataCorrupted(.init(codingPath: path, debugDescription: "The \(node.kind) is no \(type)."))
    }
}

extension FastJSONValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { node?.isNull ?? true }
    func decode(_: Bool.Type) throws -> Bool { try bool(node, nil) }
    func decode(_: String.Type) throws -> String { try string(node, nil) }
    func decode(_: Double.Type) throws -> Double { try double(node, nil) }
    func decode(_: Float.Type) throws -> Float { try float(node, nil) }
    func decode(_: Int.Type) throws -> Int { try integer(node, nil) }
    func decode(_: Int8.Type) throws -> Int8 { try integer(node, nil) }
    func decode(_: Int16.Type) throws -> Int16 { try integer(node, nil) }
    func decode(_: Int32.Type) throws -> Int32 { try integer(node, nil) }
    func decode(_: Int64.Type) throws -> Int64 { try integer(node, nil) }
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func decode(_: Int128.Type) throws -> Int128 { try integer(node, nil) }
    func decode(_: UInt.Type) throws -> UInt { try integer(node, nil) }
    func decode(_: UInt8.Type) throws -> UInt8 { try integer(node, nil) }
    func decode(_: UInt16.Type) throws -> UInt16 { try integer(node, nil) }
    func decode(_: UInt32.Type) throws -> UInt32 { try integer(node, nil) }
    func decode(_: UInt64.Type) throws -> UInt64 { try integer(node, nil) }
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func decode(_: UInt128.Type) throws -> UInt128 { try integer(node, nil) }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try decodeSelf(as: type) }
}
#endif
