/// The rules for user names and passwords, for every scheme and protocol.
package enum CredentialText {
    /// Returns the reason that a credential cannot be sent, or `nil`.
    ///
    /// User names and passwords contain no control characters and no line or paragraph separators (RFC 7617 section 2,
    /// RFC 8265 section 4.2): unescaped, as in Digest, they would end the line.
    ///
    /// - Parameter isBasic: `true` if a colon ends the user name (RFC 7617 section 2).
    package static func problem(user: String, password: String, isBasic: Bool) -> String? {
        if user.unicodeScalars.contains(where: isControl) {
            return "the user name holds a control character, which cannot be sent."
        }
        if password.unicodeScalars.contains(where: isControl) {
            return "the password holds a control character, which cannot be sent."
        }
        if isBasic, user.utf8.contains(UInt8(ascii: ":")) {
            return "the user name holds a colon, which Basic authentication cannot send (RFC 7617 section 2)."
        }
        return nil
    }

    /// C0, DEL, C1, and line and paragraph separators.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0x2028, 0x2029: true
        default: false
        }
    }
}
