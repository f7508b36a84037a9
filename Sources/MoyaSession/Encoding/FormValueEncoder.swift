import Foundation

/// One run of an encoder over one value.
final class FormEncoding {
    let options: URLEncodedFormEncoder
    /// The first request for a container of a value that already has another form; a container cannot throw this.
    var conflict: EncodingError.Context?

    /// The number of nested values that encode themselves.
    private var depth = 0

    init(options: URLEncodedFormEncoder) { self.options = options }

    /// Returns `false`, and records the reason, if a container would be nested too deep; a container cannot throw this.
    func holds(_ codingPath: [any CodingKey]) -> Bool {
        guard codingPath.count > NestingError.deepest else { return true }
        conflict = conflict ?? .tooDeep(at: codingPath)
        return false
    }

    /// Converts a value; handles types first whose own encoding no server expects.
    func component<Value: Encodable>(
        of value: Value, at codingPath: @autoclosure () -> [any CodingKey]
    ) throws -> FormComponent {
        if Value.self == Date.self, let date = value as? Date {
            if let text = try options.dateEncoding.encode(date, at: codingPath()) { return .text(text) }
        } else if Value.self == Data.self, let data = value as? Data {
            if let text = try options.dataEncoding.encode(data) { return .text(text) }
        } else if Value.self == Decimal.self, let decimal = value as? Decimal {
            return .text(decimal.description)
        } else if Value.self == URL.self, let url = value as? URL {
            return .text(url.absoluteString)
        }
        depth += 1
        defer { depth -= 1 }
        let encoder = FormValueEncoder(self, at: codingPath())
        guard depth <= NestingError.deepest, encoder.codingPath.count <= NestingError.deepest else {
            throw EncodingError.tooDeep(Value.self, at: encoder.codingPath)
        }
        try value.encode(to: encoder)
        return encoder.component
    }

    /// The component of `nil`.
    var null: FormComponent { options.nilEncoding.encode().map(FormComponent.text) ?? .none }

    /// The component of a boolean.
    func component(of value: Bool) -> FormComponent { .text(options.boolEncoding.encode(value)) }
}

/// The encoder passed to a value's `encode(to:)`.
final class FormValueEncoder: Encoder {
    let encoding: FormEncoding
    let codingPath: [any CodingKey]
    private(set) var component: FormComponent = .none
    /// The object that receives the names; weak, since it may contain this encoder.
    private weak var object: FormObject?
    /// The name in the object for a value without names.
    private let key: String?

    init(
        _ encoding: FormEncoding, at codingPath: [any CodingKey], within place: (object: FormObject, key: String)? = nil
    ) {
        self.encoding = encoding
        self.codingPath = codingPath
        object = place?.object
        key = place?.key
    }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        // The superclass of a value requests it again.
        let object: FormObject
        if case .object(let known) = component {
            object = known
        } else {
            object = self.object ?? FormObject()
            set(.object(object), as: "a keyed container")
        }
        return KeyedEncodingContainer(FormKeyedContainer(encoding, object, at: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        let array: FormArray
        if case .array(let known) = component {
            array = known
        } else {
            array = FormArray()
            set(.array(array), as: "an unkeyed container")
        }
        return FormUnkeyedContainer(encoding, array, at: codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func set(_ component: FormComponent, as what: String) {
        guard case .none = self.component else {
            let context = EncodingError.Context(
                codingPath: codingPath,
                debugDescription: "The value requests \(what) after it was encoded already, in another way.")
            encoding.conflict = encoding.conflict ?? context
            return
        }
        self.component = component
        switch component {
        // Names may follow nil, and are in the object itself.
        case .none, .object: break
        // Values encoded later are read at the end.
        case .text, .array, .deferred: if let key { object?[key] = .deferred(self) }
        }
    }
}

extension FormValueEncoder: SingleValueEncodingContainer, FormElementContainer {
    var elementPath: [any CodingKey] { codingPath }

    func add(_ component: FormComponent) { set(component, as: "a single value") }
    // Not in the protocol: the standard library has a special extension for these two types.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: Int128) throws { add(.text(value.description)) }
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: UInt128) throws { add(.text(value.description)) }
}
