#if FastJSON
import Foundation

/// The elements of an array as an unkeyed container, which stays where it is if an element cannot be decoded.
struct FastJSONUnkeyedContainer: UnkeyedDecodingContainer {
    private let decoder: FastJSONValueDecoder
    private let length: Int
    private var node: FastJSONNode
    private(set) var currentIndex = 0

    init(decoder: FastJSONValueDecoder, array: FastJSONNode) {
        self.decoder = decoder
        length = array.count
        node = array.first
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { length }
    var isAtEnd: Bool { currentIndex == length }

    mutating func decodeNil() throws -> Bool {
        guard try element(Never.self).isNull else { return false }
        advance()
        return true
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try next(type) { try $0.bool($1, $2) } }
    mutating func decode(_ type: String.Type) throws -> String { try next(type) { try $0.string($1, $2) } }
    mutating func decode(_ type: Double.Type) throws -> Double { try next(type) { try $0.double($1, $2) } }
    mutating func decode(_ type: Float.Type) throws -> Float { try next(type) { try $0.float($1, $2) } }
    mutating func decode(_ type: Int.Type) throws -> Int { try next(type) { try $0.integer($1, $2) } }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try next(type) { try $0.integer($1, $2) } }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try next(type) { try $0.integer($1, $2) } }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try next(type) { try $0.integer($1, $2) } }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try next(type) { try $0.integer($1, $2) } }
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try next(type) { try $0.integer($1, $2) } }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try next(type) { try $0.integer($1, $2) } }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try next(type) { try $0.integer($1, $2) } }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try next(type) { try $0.integer($1, $2) } }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try next(type) { try $0.integer($1, $2) } }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try next(type) { try $0.integer($1, $2) } }
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try next(type) { try $0.integer($1, $2) } }
    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next(type) { try $0.decode(type, $1, $2) } }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested>
    {
        try next(KeyedDecodingContainer<Nested>.self) { try $0.nested($1, $2).container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next((any UnkeyedDecodingContainer).self) { try $0.nested($1, $2).unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try next((any Decoder).self) { $0.nested($1, $2) } }

    /// Decodes the element, and goes to the next.
    private mutating func next<T>(
        _ type: Any.Type, _ decode: (FastJSONValueDecoder, FastJSONNode, PathKey) throws -> T
    ) throws -> T {
        let value = try decode(decoder, element(type), .index(currentIndex))
        advance()
        return value
    }

    private func element(_ type: Any.Type) throws -> FastJSONNode {
        guard isAtEnd else { return node }
        throw DecodingError.valueNotFound(
            type,
            .init(
                codingPath: codingPath + [PathKey.index(currentIndex)], debugDescription: "The array is at its end."
            ))
    }

    private mutating func advance() {
        currentIndex += 1
        // Behind the last element of the document there is nothing to read.
        if !isAtEnd { node = node.next }
    }
}
#endif
