extension EncodingError {
    /// The type, the path and the reason, without the value, which may be secret or nested deeper than the stack.
    package var textWithoutValues: String {
        guard case .invalidValue(let value, let context) = self else { return "EncodingError" }
        let reason = context.debugDescription
        return
            "EncodingError: the \(value as? Any.Type ?? type(of: value)) cannot be encoded\(context.codingPath.place)"
            + (reason.isEmpty ? "" : ": \(reason)")
    }
}

extension [any CodingKey] {
    /// The path within a value, after a preposition; empty at the root.
    var place: String {
        isEmpty ? "" : " at " + map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    }
}

/// The text of an error of `Codable` without the values that it carries; `nil` for any other value.
package func codingText(_ value: Any) -> String? {
    (value as? DecodingError)?.textWithoutValues ?? (value as? EncodingError)?.textWithoutValues
}
