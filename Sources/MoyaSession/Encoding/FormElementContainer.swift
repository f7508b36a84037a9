/// Encodes values without a name; implements once the overloads that the standard library lists by type.
protocol FormElementContainer {
    var encoding: FormEncoding { get }
    func add(_ component: FormComponent)
    /// The path of the next value.
    var elementPath: [any CodingKey] { get }
}

extension FormElementContainer {
    func encodeNil() throws { add(encoding.null) }
    func encode(_ value: Bool) throws { add(encoding.component(of: value)) }
    func encode(_ value: String) throws { add(.text(value)) }
    func encode(_ value: Double) throws { add(.text(value.description)) }
    func encode(_ value: Float) throws { add(.text(value.description)) }
    func encode(_ value: Int) throws { add(.text(value.description)) }
    func encode(_ value: Int8) throws { add(.text(value.description)) }
    func encode(_ value: Int16) throws { add(.text(value.description)) }
    func encode(_ value: Int32) throws { add(.text(value.description)) }
    func encode(_ value: Int64) throws { add(.text(value.description)) }
    func encode(_ value: UInt) throws { add(.text(value.description)) }
    func encode(_ value: UInt8) throws { add(.text(value.description)) }
    func encode(_ value: UInt16) throws { add(.text(value.description)) }
    func encode(_ value: UInt32) throws { add(.text(value.description)) }
    func encode(_ value: UInt64) throws { add(.text(value.description)) }
    func encode<Value: Encodable>(_ value: Value) throws {
        add(try encoding.component(of: value, at: elementPath))
    }
}

/// Elements of an array.
struct FormUnkeyedContainer: UnkeyedEncodingContainer, FormElementContainer {
    let encoding: FormEncoding
    let codingPath: [any CodingKey]
    private let array: FormArray

    init(_ encoding: FormEncoding, _ array: FormArray, at codingPath: [any CodingKey]) {
        self.encoding = encoding
        self.array = array
        self.codingPath = codingPath
    }

    var count: Int { array.elements.count }
    var elementPath: [any CodingKey] { codingPath + [PathKey.index(count)] }

    func add(_ component: FormComponent) { array.append(component) }
    // Not above: the standard library has a special extension for these two types.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: Int128) throws { add(.text(value.description)) }
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: UInt128) throws { add(.text(value.description)) }

    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        nestedEncoder().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nestedEncoder().unkeyedContainer() }

    func superEncoder() -> any Encoder { nestedEncoder() }

    private func nestedEncoder() -> FormValueEncoder {
        guard encoding.holds(elementPath) else { return FormValueEncoder(encoding, at: codingPath) }
        let encoder = FormValueEncoder(encoding, at: elementPath)
        array.append(.deferred(encoder))
        return encoder
    }
}
