/// A type of which `dump` shows no parts, since they may be secrets.
package protocol OpaqueReflection: CustomReflectable {}

extension OpaqueReflection {
    /// No parts: they may be secrets.
    public var customMirror: Mirror { Mirror(self, children: [], ancestorRepresentation: .suppressed) }
}

/// A type of which every printed form is its description, in which secrets are masked: interpolation, `print`,
/// `String(reflecting:)` and `dump`.
package protocol MaskedDescription: CustomStringConvertible, CustomDebugStringConvertible, OpaqueReflection {}

extension MaskedDescription {
    /// The description.
    public var debugDescription: String { description }
}

extension SecretMask {
    /// Any value as text, with the secrets masked that the text gives away.
    package func text(describing value: Any) -> String { text(String(reflecting: value)) }
}
