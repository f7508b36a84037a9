package import Foundation

/// Masks secrets in all printed text: logs, curl commands, descriptions, errors.
///
/// Secrets are found in bytes, in one pass. Text without a secret is printed unchanged, and secrets in truncated or
/// malformed text are masked too.
package struct SecretMask: Sendable {
    /// The replacement of a secret.
    package static let text = "<masked>"

    /// The mask of every description, with ``SecretNames``.
    package static let standard = SecretMask { SecretNames.contains($0) }

    /// `true` if the value of the name is a secret.
    let isSecret: @Sendable (String) -> Bool

    /// Makes a mask that calls a closure about names.
    package init(isSecret: @escaping @Sendable (String) -> Bool) { self.isSecret = isSecret }

    /// Returns a mask that also hides these fields, whose names are in lower case.
    package func adding(fields: Set<String>) -> SecretMask {
        fields.isEmpty ? self : SecretMask { [isSecret] in fields.contains($0.lowercased()) || isSecret($0) }
    }

    // MARK: Header fields

    /// The value of a header field, masked whole or, if it contains URLs, pairs or JSON, in part.
    package func value(_ value: String, ofField name: String) -> String {
        if isSecret(name) { return value.isEmpty || Self.isHarmless(value, ofField: name) ? value : Self.text }
        return Self.fieldsOfOneURL.contains { ASCII.equalIgnoringCase($0, name) } ? url(value) : text(value)
    }

    /// Fields that contain only a URL (RFC 9110 sections 10.1.3, 10.2.2 and 8.7; RFC 4918 section 10.3).
    private static let fieldsOfOneURL = ["location", "content-location", "referer", "origin", "destination"]

    // MARK: URLs, text and bodies

    /// A URL, valid or not, with its user information and its secret items masked.
    package func url(_ url: String) -> String { masked(url) { $0.maskURL() } }

    /// The beginning of a URL for the message of an error, with its secrets masked; at most 1,000 characters.
    ///
    /// It masks 4,096 bytes of any URL. An `@` after them may end a password, and is kept as the last byte.
    package func beginning(ofURL url: String) -> String {
        var text = String(decoding: url.utf8.prefix(4096), as: UTF8.self)
        if url.utf8.dropFirst(4096).contains(UInt8(ascii: "@")) { text += "@" }
        return String(self.url(text).prefix(1_000))
    }

    /// The text after the last `@` of a host, before which a user name and a password may stand by mistake.
    package static func withoutUser(_ host: String) -> String {
        host.lastIndex(of: "@").map { String(host[host.index(after: $0)...]) } ?? host
    }

    /// Any text, with the secrets masked in its URLs, pairs, fields, JSON and XML.
    package func text(_ text: String) -> String { masked(text) { $0.maskText() } }

    /// A body with the secrets of its members, fields or parts masked; unchanged if it contains none.
    package func body(_ data: Data) -> Data {
        let masked: [UInt8]? = data.withUnsafeBytes { bytes in
            let scanner = SecretScanner(bytes.bindMemory(to: UInt8.self), isSecret)
            scanner.maskBody()
            return scanner.result
        }
        return masked.map { Data($0) } ?? data
    }

    private func masked(_ text: String, _ mask: (SecretScanner) -> Void) -> String {
        var text = text
        let masked: [UInt8]? = text.withUTF8 { bytes in
            // A percent sign may encode a separator.
            guard SecretScanner.mayTell(bytes[...]) || bytes.contains(UInt8(ascii: "%")) else { return nil }
            let scanner = SecretScanner(bytes, isSecret)
            mask(scanner)
            return scanner.result
        }
        return masked.map { String(decoding: $0, as: UTF8.self) } ?? text
    }
}
