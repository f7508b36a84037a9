#if FastJSON
import Foundation

/// A dictionary of values with names, whose keys no strategy converts.
private protocol NamedValues {}

extension Dictionary: NamedValues where Key == String, Value: Decodable {}

// The node is a value in this decoder's one, at the key, or this decoder's own without a key.
extension FastJSONValueDecoder {
    /// Decodes this decoder's value.
    func decodeSelf<T: Decodable>(as type: T.Type) throws -> T {
        if let value = try known(type, node, nil) { return value }
        return try T(from: unconverted(self, for: type))
    }

    /// Decodes a value in this decoder's one.
    func decode<T: Decodable>(_ type: T.Type, _ node: FastJSONNode, _ key: some CodingKey) throws -> T {
        if let value = try known(type, node, key) { return value }
        return try T(from: unconverted(nested(node, key), for: type))
    }

    func bool(_ node: FastJSONNode?, _ key: (any CodingKey)?) throws -> Bool {
        if let node, node.isBool { return node.bool }
        // As with Foundation, null is a mismatch here, and no value elsewhere.
        let path = key.map { codingPath + [$0] } ?? codingPath
        throw DecodingError.typeMismatch(
            Bool.self, .init(codingPath: path, debugDescription: "Expected Bool, found \(node?.kind ?? "null")."))
    }

    func string(_ node: FastJSONNode?, _ key: (any CodingKey)?) throws -> String {
        guard let node, node.isString else { throw mismatch(String.self, node, key) }
        return node.string
    }

    func integer<T: FixedWidthInteger & Decodable>(_ node: FastJSONNode?, _ key: (any CodingKey)?) throws -> T {
        if let integer = node?.shortInteger(T.self) { return integer }
        guard let node, let double = node.shortDouble else { return try number(node, key) }
        guard let integer = T(exactly: double) else { throw corrupted(T.self, node, key) }
        return integer
    }

    func double(_ node: FastJSONNode?, _ key: (any CodingKey)?) throws -> Double {
        try node?.normalDouble ?? nonConforming(node) ?? number(node, key)
    }

    func float(_ node: FastJSONNode?, _ key: (any CodingKey)?) throws -> Float {
        try node?.normalFloat ?? nonConforming(node) ?? number(node, key)
    }

    /// The number as Foundation decodes it.
    private func number<T: Decodable>(_ node: FastJSONNode?, _ key: (any CodingKey)?) throws -> T {
        guard let node, node.isNumber else { throw mismatch(T.self, node, key) }
        do { return try node.decodedByFoundation() } catch { throw corrupted(T.self, node, key) }
    }

    /// The value that a string stands for by the strategy; `nil` without one.
    private func nonConforming<T: BinaryFloatingPoint>(_ node: FastJSONNode?) -> T? {
        guard let node, node.isString,
            case .convertFromString(let infinity, let minusInfinity, let nan) = strategies.floats
        else { return nil }
        switch node.string {
        case infinity: return .infinity
        case minusInfinity: return -.infinity
        case nan: return .nan
        default: return nil
        }
    }

    private var strategies: FastJSONStrategies { document.strategies }

    /// Decodes a type that has a strategy, or none of whose code needs to run; `nil` for other types.
    private func known<T: Decodable>(_ type: T.Type, _ node: FastJSONNode?, _ key: (any CodingKey)?) throws -> T? {
        // The types are the same, and a cast takes longer than the decoding.
        func same<Known>(_ value: Known) -> T { unsafeBitCast(value, to: T.self) }
        if type == String.self { return same(try string(node, key)) }
        if type == Int.self { return same(try integer(node, key) as Int) }
        if type == Double.self { return same(try double(node, key)) }
        if type == Bool.self { return same(try bool(node, key)) }
        if type == Date.self { return same(try date(node, key)) }
        if type == URL.self { return (try url(node, key) as! T) }
        if type == Data.self { return (try data(node, key) as! T) }
        if type == Decimal.self { return (try decimal(node, key) as! T) }
        return nil
    }

    /// The decoder, told to keep the keys if the type is a dictionary and there is a strategy for keys.
    private func unconverted<T: Decodable>(_ decoder: FastJSONValueDecoder, for type: T.Type) -> FastJSONValueDecoder {
        guard strategies.convertsFromSnakeCase, type is any NamedValues.Type else { return decoder }
        let keeping = FastJSONValueDecoder(sibling: decoder)
        keeping.keepsKeys = true
        return keeping
    }

    private func date(_ node: FastJSONNode?, _ key: (any CodingKey)?) throws -> Date {
        guard let node, !node.isNull else { throw mismatch(Date.self, node, key) }
        switch strategies.dates {
        case .deferred: return Date(timeIntervalSinceReferenceDate: try double(node, key))
        case .seconds: return Date(timeIntervalSince1970: try double(node, key))
        case .milliseconds: return Date(timeIntervalSince1970: try double(node, key) / 1000)
        case .iso8601:
            guard node.isString else { throw mismatch(String.self, node, key) }
            do { return try node.iso8601Date() } catch { throw corrupted(Date.self, node, key) }
        case .custom(let decode): return try decode(decoder(node, key))
        }
    }

    private func data(_ node: FastJSONNode?, _ key: (any CodingKey)?) throws -> Data {
        guard let node, !node.isNull else { throw mismatch(Data.self, node, key) }
        switch strategies.data {
        case .custom(let decode): return try decode(decoder(node, key))
        case .base64:
            guard let data = Data(base64Encoded: try string(node, key)) else { throw corrupted(Data.self, node, key) }
            return data
        default: return try Data(from: decoder(node, key))
        }
    }

    private func url(_ node: FastJSONNode?, _ key: (any CodingKey)?) throws -> URL {
        guard let node, node.isString else { throw mismatch(node?.isNull ?? true ? URL.self : String.self, node, key) }
        guard let url = URL(string: node.string) else { throw corrupted(URL.self, node, key) }
        return url
    }

    private func decimal(_ node: FastJSONNode?, _ key: (any CodingKey)?) throws -> Decimal {
        try node?.shortDecimal ?? number(node, key)
    }

    private func decoder(_ node: FastJSONNode, _ key: (any CodingKey)?) -> FastJSONValueDecoder {
        key.map { nested(node, $0) } ?? self
    }
}
#endif
