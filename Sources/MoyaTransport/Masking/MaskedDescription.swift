/// A type whose parts `dump` does not show, since they may be secrets.
package protocol OpaqueReflection: CustomReflectable {}

extension OpaqueReflection {
    /// An empty mirror, since the parts may be secrets.
    public var customMirror: Mirror { Mirror(self, children: [], ancestorRepresentation: .suppressed) }
}

/// A type whose every printed form (interpolation, `print`, `String(reflecting:)` and `dump`) is its description, with
/// secrets masked.
package protocol MaskedDescription: CustomStringConvertible, CustomDebugStringConvertible, OpaqueReflection {}

extension MaskedDescription {
    /// The description.
    public var debugDescription: String { description }
}

extension SecretMask {
    /// The text of any value, with recognized secrets masked.
    package func text(describing value: Any) -> String {
        text(codingText(value) ?? String(reflecting: value))
    }
}
