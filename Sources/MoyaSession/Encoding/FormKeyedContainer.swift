/// Values by name.
struct FormKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    private let encoding: FormEncoding
    private let object: FormObject
    let codingPath: [any CodingKey]

    init(_ encoding: FormEncoding, _ object: FormObject, at codingPath: [any CodingKey]) {
        self.encoding = encoding
        self.object = object
        self.codingPath = codingPath
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        guard encoding.holds(codingPath + [key]) else {
            return KeyedEncodingContainer(FormKeyedContainer<NestedKey>(encoding, FormObject(), at: codingPath))
        }
        let nested: FormObject
        if case .object(let known) = object[key.stringValue] {
            nested = known
        } else {
            nested = FormObject()
            object[key.stringValue] = .object(nested)
        }
        return KeyedEncodingContainer(FormKeyedContainer<NestedKey>(encoding, nested, at: codingPath + [key]))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        guard encoding.holds(codingPath + [key]) else {
            return FormUnkeyedContainer(encoding, FormArray(), at: codingPath)
        }
        let nested: FormArray
        if case .array(let known) = object[key.stringValue] {
            nested = known
        } else {
            nested = FormArray()
            object[key.stringValue] = .array(nested)
        }
        return FormUnkeyedContainer(encoding, nested, at: codingPath + [key])
    }

    /// The superclass's names are written beside those of the container; a superclass without names is under `super`.
    func superEncoder() -> any Encoder {
        let key = PathKey.superclass
        guard encoding.holds(codingPath + [key]) else { return FormValueEncoder(encoding, at: codingPath) }
        return FormValueEncoder(encoding, at: codingPath + [key], within: (object, key.stringValue))
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        guard encoding.holds(codingPath + [key]) else { return FormValueEncoder(encoding, at: codingPath) }
        if case .object(let known) = object[key.stringValue] {
            return FormValueEncoder(encoding, at: codingPath + [key], within: (known, "super"))
        }
        let encoder = FormValueEncoder(encoding, at: codingPath + [key])
        object[key.stringValue] = .deferred(encoder)
        return encoder
    }
}

extension FormKeyedContainer {
    func encodeNil(forKey key: Key) throws { object[key.stringValue] = encoding.null }
    func encode(_ value: Bool, forKey key: Key) throws { object[key.stringValue] = encoding.component(of: value) }
    func encode(_ value: String, forKey key: Key) throws { set(value, key) }
    func encode(_ value: Double, forKey key: Key) throws { set(value, key) }
    func encode(_ value: Float, forKey key: Key) throws { set(value, key) }
    func encode(_ value: Int, forKey key: Key) throws { set(value, key) }
    func encode(_ value: Int8, forKey key: Key) throws { set(value, key) }
    func encode(_ value: Int16, forKey key: Key) throws { set(value, key) }
    func encode(_ value: Int32, forKey key: Key) throws { set(value, key) }
    func encode(_ value: Int64, forKey key: Key) throws { set(value, key) }
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: Int128, forKey key: Key) throws { set(value, key) }
    func encode(_ value: UInt, forKey key: Key) throws { set(value, key) }
    func encode(_ value: UInt8, forKey key: Key) throws { set(value, key) }
    func encode(_ value: UInt16, forKey key: Key) throws { set(value, key) }
    func encode(_ value: UInt32, forKey key: Key) throws { set(value, key) }
    func encode(_ value: UInt64, forKey key: Key) throws { set(value, key) }
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: UInt128, forKey key: Key) throws { set(value, key) }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        object.merge(key.stringValue, try encoding.component(of: value, at: codingPath + [key]))
    }

    /// Sets the text of a value, or that of `nil`.
    @inline(__always)
    private func set(_ value: (some CustomStringConvertible)?, _ key: Key) {
        object[key.stringValue] = value.map { .text($0.description) } ?? encoding.null
    }
}

// The options determine the text of `nil`, which the standard library would omit.
extension FormKeyedContainer {
    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws {
        object[key.stringValue] = value.map { encoding.component(of: $0) } ?? encoding.null
    }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { set(value, key) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { set(value, key) }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { set(value, key) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { set(value, key) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { set(value, key) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { set(value, key) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { set(value, key) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { set(value, key) }
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encodeIfPresent(_ value: Int128?, forKey key: Key) throws { set(value, key) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { set(value, key) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { set(value, key) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { set(value, key) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { set(value, key) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { set(value, key) }
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encodeIfPresent(_ value: UInt128?, forKey key: Key) throws { set(value, key) }
    func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { try encodeNil(forKey: key) }
    }
}
