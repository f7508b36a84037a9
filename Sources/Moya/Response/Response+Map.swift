public import Foundation
public import MoyaSession

extension Response {
    /// The body as JSON: dictionaries, arrays, strings, numbers, or `NSNull`.
    ///
    /// - Parameter failsOnEmptyData: `true` if an empty body is an error; otherwise it is `NSNull`.
    /// - Throws: ``MoyaError/jsonMapping(_:)``.
    public func mapJSON(failsOnEmptyData: Bool = true) throws(MoyaError) -> Any {
        if data.isEmpty, !failsOnEmptyData { return NSNull() }
        do {
            return try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
        } catch {
            throw .jsonMapping(self)
        }
    }

    /// The body as UTF-8 text, or the string at a key path of its JSON.
    ///
    /// - Parameter keyPath: Keys joined by dots, from a dictionary at the root.
    /// - Throws: ``MoyaError/stringMapping(_:)``; ``MoyaError/jsonMapping(_:)`` if the body is not JSON, with a key
    ///   path.
    public func mapString(atKeyPath keyPath: String? = nil) throws(MoyaError) -> String {
        let string: String?
        if let keyPath {
            string = try json(atKeyPath: keyPath).flatMap { try? JSONDecoder().decode(String.self, from: $0) }
        } else {
            string = String(data: data, encoding: .utf8)
        }
        guard let string else { throw .stringMapping(self) }
        return string
    }

    /// The body, or the value at its key path, decoded from JSON.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - keyPath: Keys joined by dots, from a dictionary at the root. A key under an array gives an array of its
    ///     elements' values, with `null` for an element without one.
    ///   - decoder: The decoder, with its own strategies.
    ///   - failsOnEmptyData: `true` if an empty body, or a missing value, is an error; otherwise an empty object is
    ///     decoded or, if that fails, an array of one empty object.
    /// - Throws: ``MoyaError/objectMapping(_:_:)`` if it cannot be decoded, ``MoyaError/jsonMapping(_:)`` if the body
    ///   is not JSON, or has no value at the key path.
    public func map<D: Decodable>(
        _ type: D.Type,
        atKeyPath keyPath: String? = nil,
        using decoder: JSONDecoder = .moyaDefault,
        failsOnEmptyData: Bool = true
    ) throws(MoyaError) -> D {
        if data.isEmpty, !failsOnEmptyData { return try emptyValue(type, using: decoder) }
        guard let keyPath else { return try decode(type, from: data, using: decoder) }
        guard let json = try json(atKeyPath: keyPath) else {
            if failsOnEmptyData { throw .jsonMapping(self) }
            return try emptyValue(type, using: decoder)
        }
        return try decode(type, from: json, using: decoder)
    }

    private func json(atKeyPath keyPath: String) throws(MoyaError) -> Data? {
        do {
            return try JSONKeyPath(keyPath).value(in: data)
        } catch {
            throw .jsonMapping(self)
        }
    }

    private func decode<D: Decodable>(
        _ type: D.Type, from json: Data, using decoder: JSONDecoder
    ) throws(MoyaError) -> D {
        do {
            return try BoundedDepth.decode(type, from: json, with: decoder)
        } catch {
            throw .objectMapping(error, self)
        }
    }

    private func emptyValue<D: Decodable>(_ type: D.Type, using decoder: JSONDecoder) throws(MoyaError) -> D {
        for json in ["{}", "[{}]"] {
            if let value = try? decoder.decode(type, from: Data(json.utf8)) { return value }
        }
        return try decode(type, from: Data(), using: decoder)
    }
}
