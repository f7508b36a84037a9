extension DecodingError {
    /// The problem with its type, key and path, without the decoder's own text, which may contain a value of a body.
    package var textWithoutValues: String {
        switch self {
        case .typeMismatch(let type, let context): "DecodingError: expected \(type)\(context.codingPath.place)"
        case .valueNotFound(let type, let context): "DecodingError: found no \(type)\(context.codingPath.place)"
        case .keyNotFound(let key, let context):
            "DecodingError: found no key \"\(key.stringValue)\"\(context.codingPath.place)"
        case .dataCorrupted(let context):
            context.codingPath.isEmpty
                ? "DecodingError: the data is malformed"
                : "DecodingError: the value is malformed\(context.codingPath.place)"
        @unknown default: "DecodingError"
        }
    }
}
