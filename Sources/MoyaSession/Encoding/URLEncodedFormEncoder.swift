public import Foundation

/// Writes an `Encodable` value as `name=value` pairs joined by `&`, percent-encoded in UTF-8.
///
/// The value must have named properties, or be a dictionary. Numbers print as Swift prints them, whatever the platform
/// and the locale: a `Double` of 1 is `1.0`, a `Decimal` of 1 is `1`. A `URL` is written as its text.
public final class URLEncodedFormEncoder: Sendable {
    /// The reason that a value cannot be written as pairs.
    public enum Error: Swift.Error, LocalizedError {
        /// The value has no names: it is one value alone, or an array. The text is its type.
        case invalidRootObject(String)

        /// Names the value and the remedy.
        public var errorDescription: String? {
            switch self {
            case .invalidRootObject(let type):
                "Pairs need names, and \(type) has none: encode a type with named properties, or a dictionary."
            }
        }
    }

    /// `true` if pairs ascend, on each level by themselves and elements of arrays among them.
    ///
    /// If not, they are in the order of encoding, which for a type with properties is that of their declaration.
    public let alphabetizeKeyValuePairs: Bool
    /// The spelling of an array's name with each element.
    public let arrayEncoding: ArrayEncoding
    /// The text of `true` and `false`.
    public let boolEncoding: BoolEncoding
    /// The text of `Data`.
    public let dataEncoding: DataEncoding
    /// The text of `Date`.
    public let dateEncoding: DateEncoding
    /// The spelling of names; applied to the whole path of names.
    public let keyEncoding: KeyEncoding
    /// The spelling of a name inside another one.
    public let keyPathEncoding: KeyPathEncoding
    /// The text of `nil`.
    public let nilEncoding: NilEncoding
    /// The text of a space.
    public let spaceEncoding: SpaceEncoding
    /// The ASCII characters that are not percent-encoded; what a space becomes is for ``spaceEncoding`` alone to say.
    public let allowedCharacters: CharacterSet

    let percentEncoding: PercentEncoding

    /// Makes an encoder; one can encode any number of values, on any thread.
    public init(
        alphabetizeKeyValuePairs: Bool = true,
        arrayEncoding: ArrayEncoding = .brackets,
        boolEncoding: BoolEncoding = .numeric,
        dataEncoding: DataEncoding = .base64,
        dateEncoding: DateEncoding = .deferredToDate,
        keyEncoding: KeyEncoding = .useDefaultKeys,
        keyPathEncoding: KeyPathEncoding = .brackets,
        nilEncoding: NilEncoding = .dropKey,
        spaceEncoding: SpaceEncoding = .percentEscaped,
        allowedCharacters: CharacterSet = .afURLQueryAllowed
    ) {
        self.alphabetizeKeyValuePairs = alphabetizeKeyValuePairs
        self.arrayEncoding = arrayEncoding
        self.boolEncoding = boolEncoding
        self.dataEncoding = dataEncoding
        self.dateEncoding = dateEncoding
        self.keyEncoding = keyEncoding
        self.keyPathEncoding = keyPathEncoding
        self.nilEncoding = nilEncoding
        self.spaceEncoding = spaceEncoding
        self.allowedCharacters = allowedCharacters
        percentEncoding = PercentEncoding(
            allowed: allowedCharacters, writesSpaceAsPlus: spaceEncoding == .plusReplaced)
    }

    /// The value as pairs; empty when there is nothing in it.
    ///
    /// - Throws: ``Error/invalidRootObject(_:)``, an `EncodingError`, or what the value or an encoding of yours throws.
    public func encode(_ value: any Encodable) throws -> String {
        let encoding = FormEncoding(options: self)
        let root = try encoding.component(of: value, at: [])
        if let conflict = encoding.conflict {
            throw EncodingError.invalidValue(value, conflict)
        }
        guard let pairs = FormRenderer(options: self).pairs(of: root) else {
            throw Error.invalidRootObject("\(type(of: value))")
        }
        return pairs
    }

    /// The value as pairs, in ASCII; empty when there is nothing in it.
    ///
    /// - Throws: ``Error/invalidRootObject(_:)``, an `EncodingError`, or what the value or an encoding of yours throws.
    public func encode(_ value: any Encodable) throws -> Data {
        let pairs: String = try encode(value)
        return Data(pairs.utf8)
    }
}

extension CharacterSet {
    /// The characters that need no percent-encoding in a query (RFC 3986 section 3.4), without the delimiters
    /// `:#[]@!$&'()*+,;=`.
    ///
    /// It leaves ASCII letters, digits, and `-._~/?`.
    public static let afURLQueryAllowed = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/?")
}
