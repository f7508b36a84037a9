import MoyaTransport

/// The header fields whose values are for a single origin.
struct CredentialFields: Sendable {
    /// The names set by the user, in lower case.
    var names: Set<String> = []

    init(_ names: Set<String> = []) { self.names = Set(names.map { $0.lowercased() }) }

    /// Returns these fields with additional names.
    func adding(_ names: Set<String>) -> CredentialFields {
        names.isEmpty ? self : CredentialFields(self.names.union(names))
    }

    /// `true` if a field contains a credential, by its name.
    ///
    /// This includes every field whose value is masked in logs.
    func contains(_ name: String) -> Bool {
        if !names.isEmpty, names.contains(name.lowercased()) { return true }
        if ASCII.equalIgnoringCase(name, "idempotency-key") { return false }
        // The case of letters separates words too: `AccessKey`.
        return SecretNames.contains(name) || Self.hasSecretWord(name)
    }

    /// `true` if a name contains a word that denotes a secret.
    ///
    /// Words are taken one by one: short strings need no allocation.
    private static func hasSecretWord(_ name: String) -> Bool {
        var rest = name[...]
        while true {
            let end = rest.utf8.firstIndex { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") } ?? rest.endIndex
            if isSecret(rest[..<end].lowercased()) { return true }
            guard end < rest.endIndex else { return false }
            rest = rest[rest.utf8.index(after: end)...]
        }
    }

    /// `true` if a word of a name denotes a secret, alone or at the end of a compound.
    private static func isSecret(_ word: String) -> Bool {
        words.contains(word) || endings.contains { word.hasSuffix($0) }
    }

    private static let words: Set<String> = [
        "assertion", "auth", "authentication", "authkey", "authorization", "bearer", "cookie2", "csc", "csrf", "cvc",
        "cvn", "cvv", "dpop", "hmac", "jwt", "key", "mfa", "oauth", "otp", "pass", "passcode", "passphrase", "pin",
        "pkce", "psk", "pw", "pwd", "saml", "session", "sessionid", "sid", "sig", "signature", "ssn", "ticket", "totp",
        "xsrf",
    ]
    private static let endings = [
        "apikey", "cookie", "credential", "credentials", "passwd", "password", "secret", "token", "tokens",
    ]
}
