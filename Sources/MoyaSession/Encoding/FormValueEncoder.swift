import Foundation

/// One run of an encoder over one value.
final class FormEncoding {
    let options: URLEncodedFormEncoder
    /// The first container that was asked for of a value that had become something else; no container can throw that.
    var conflict: EncodingError.Context?

    init(options: URLEncodedFormEncoder) { self.options = options }

    /// What a value becomes; types that would encode themselves in a way no server expects are taken first.
    func component<Value: Encodable>(
        of value: Value, at codingPath: @autoclosure () -> [any CodingKey]
    ) throws -> FormComponent {
        if Value.self == Date.self, let date = value as? Date {
            if let text = try options.dateEncoding.encode(date) { return .text(text) }
        } else if Value.self == Data.self, let data = value as? Data {
            if let text = try options.dataEncoding.encode(data) { return .text(text) }
        } else if Value.self == Decimal.self, let decimal = value as? Decimal {
            return .text(decimal.description)
        } else if Value.self == URL.self, let url = value as? URL {
            return .text(url.absoluteString)
        }
        let encoder = FormValueEncoder(self, at: codingPath())
        try value.encode(to: encoder)
        return encoder.component
    }

    /// What `nil` becomes.
    var null: FormComponent { options.nilEncoding.encode().map(FormComponent.text) ?? .none }

    /// What a boolean becomes.
    func component(of value: Bool) -> FormComponent { .text(options.boolEncoding.encode(value)) }
}

/// What a value encodes itself to.
final class FormValueEncoder: Encoder {
    let encoding: FormEncoding
    let codingPath: [any CodingKey]
    private(set) var component: FormComponent = .none

    init(_ encoding: FormEncoding, at codingPath: [any CodingKey]) {
        self.encoding = encoding
        self.codingPath = codingPath
    }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        // The superclass of a value asks again.
        let object: FormObject
        if case .object(let known) = component {
            object = known
        } else {
            object = FormObject()
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

    func singleValueContainer() -> any SingleValueEncodingContainer { FormSingleValueContainer(encoder: self) }

    func set(_ component: FormComponent, as what: String) {
        switch self.component {
        case .none: break
        case .text, .array, .object, .deferred:
            let context = EncodingError.Context(
                codingPath: codingPath,
                debugDescription: "The value asks for \(what) after it was encoded already, in another way.")
            encoding.conflict = encoding.conflict ?? context
        }
        self.component = component
    }
}
