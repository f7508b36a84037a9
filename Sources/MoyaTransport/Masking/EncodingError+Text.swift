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

/// The text of an error of `Codable` without the values that it carries, also of one within another value, such as an
/// app's own error; `nil` for any other value.
package func codingText(_ value: Any) -> String? {
    var remaining = 64
    return codingText(value, depth: 0, remaining: &remaining)
}

/// - Parameter remaining: The number of values that are still looked at.
private func codingText(_ value: Any, depth: Int, remaining: inout Int) -> String? {
    if let error = value as? DecodingError { return error.textWithoutValues }
    if let error = value as? EncodingError { return error.textWithoutValues }
    guard depth < 8 else { return nil }
    let mirror = Mirror(reflecting: value)
    for child in mirror.children {
        remaining -= 1
        guard remaining >= 0 else { return nil }
        guard let text = codingText(child.value, depth: depth + 1, remaining: &remaining) else { continue }
        guard mirror.displayStyle == .enum, let label = child.label else { return "\(type(of: value)): \(text)" }
        return "\(type(of: value)).\(label): \(text)"
    }
    return nil
}
