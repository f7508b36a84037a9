public import Foundation

/// Writes an `Encodable` value as `name=value` pairs joined by `&`, percent-encoded in UTF-8.
///
/// The value must have named properties, or be a dictionary. Numbers are written as Swift prints them, for every
/// platform and locale: a `Double` of 1 is `1.0`, a `Decimal` of 1 is `1`. A `URL` is written as its text.
public final class URLEncodedFormEncoder: Sendable {
    /// The reason that a value cannot be written as pairs.
    public enum Error: Swift.Error, LocalizedError {
        /// The value has no names: it is a single value, or an array. The text is its type.
        case invalidRootObject(String)

        /// Names the value and the remedy.
        public var errorDescription: String? {
            switch self {
            case .invalidRootObject(let type):
                "Pairs need names, and \(type) has none: encode a type with named properties, or a dictionary."
            }
        }
    }

    /// `true` if pairs are sorted, separately on each level, including elements of arrays.
    ///
    /// Otherwise they are in the order of encoding, for a type with properties usually that of their declaration.
    public let alphabetizeKeyValuePairs: Bool
    /// The spelling of an array's name for each element.
    public let arrayEncoding: ArrayEncoding
    /// The text of `true` and `false`.
    public let boolEncoding: BoolEncoding
    /// The text of `Data`.
    public let dataEncoding: DataEncoding
    /// The text of `Date`.
    public let dateEncoding: DateEncoding
    /// The spelling of names, applied to the whole path.
    public let keyEncoding: KeyEncoding
    /// The spelling of a nested name.
    public let keyPathEncoding: KeyPathEncoding
    /// The text of `nil`.
    public let nilEncoding: NilEncoding
    /// The text of a space.
    public let spaceEncoding: SpaceEncoding
    /// The ASCII characters that are not percent-encoded; the text of a space depends only on ``spaceEncoding``.
    public let allowedCharacters: CharacterSet

    let percentEncoding: PercentEncoding

    /// Makes an encoder, which can encode any number of values, on any thread.
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

    /// The value as pairs; empty if it has no content.
    ///
    /// - Throws: ``Error/invalidRootObject(_:)``, an `EncodingError`, or an error of the value or a custom encoding.
    public func encode(_ value: any Encodable) throws -> String {
        let encoding = FormEncoding(options: self)
        let root = try encoding.component(of: value, at: [])
        if let conflict = encoding.conflict {
            // Not the value: printing one that is nested too deep would overflow the stack.
            throw EncodingError.invalidValue(type(of: value), conflict)
        }
        guard let pairs = FormRenderer(options: self).pairs(of: root) else {
            throw Error.invalidRootObject("\(type(of: value))")
        }
        return pairs
    }

    /// The value as pairs, in ASCII; empty if it has no content.
    ///
    /// - Throws: ``Error/invalidRootObject(_:)``, an `EncodingError`, or an error of the value or a custom encoding.
    public func encode(_ value: any Encodable) throws -> Data {
        let pairs: String = try encode(value)
        return Data(pairs.utf8)
    }
}

extension CharacterSet {
    /// The characters that need no percent-encoding in a query (RFC 3986 section 3.4), without the delimiters
    /// `:#[]@!$&'()*+,;=`.
    ///
    /// It includes ASCII letters, digits, and `-._~/?`.
    public static let afURLQueryAllowed = CharacterSet(charactersIn: PercentEncoding.queryCharacters)
}
