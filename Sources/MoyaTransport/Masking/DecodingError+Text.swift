extension DecodingError {
    /// The problem with its type, key and path, without the decoder's own text, which may contain a value of a body.
    package var textWithoutValues: String {
        switch self {
        case .typeMismatch(let type, let context): "DecodingError: expected \(type)\(Self.place(context))"
        case .valueNotFound(let type, let context): "DecodingError: found no \(type)\(Self.place(context))"
        case .keyNotFound(let key, let context):
            "DecodingError: found no key \"\(key.stringValue)\"\(Self.place(context))"
        case .dataCorrupted(let context):
            context.codingPath.isEmpty
                ? "DecodingError: the data is malformed"
                : "DecodingError: the value is malformed\(Self.place(context))"
        @unknown default: "DecodingError"
        }
    }

    private static func place(_ context: Context) -> String {
        guard !context.codingPath.isEmpty else { return "" }
        return " at " + context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    }
}
