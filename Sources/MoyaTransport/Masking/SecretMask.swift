package import Foundation

/// Hides secrets in everything that is printed: logs, commands of curl, descriptions, errors.
///
/// Secrets are found on bytes, in one pass, so that text which holds no secret is printed as it is, and so that text
/// which breaks off, or is not quite what it says, gives none away either.
package struct SecretMask: Sendable {
    /// The text printed in place of a secret.
    package static let text = "<masked>"

    /// The mask of every description, by ``SecretNames``.
    package static let standard = SecretMask { SecretNames.contains($0) }

    /// `true` if the value of that name is a secret.
    let isSecret: @Sendable (String) -> Bool

    /// Makes a mask that calls a closure about names.
    package init(isSecret: @escaping @Sendable (String) -> Bool) { self.isSecret = isSecret }

    // MARK: Header fields

    /// `true` if the value of a request header field lets a reader act as the user.
    package static func hidesHeader(named name: String) -> Bool {
        ["authorization", "cookie", "proxy-authorization"].contains { ASCII.equalIgnoringCase($0, name) }
    }

    /// The value of a header field, masked whole or, where it holds URLs, pairs or JSON, in part.
    package func value(_ value: String, ofField name: String) -> String {
        if isSecret(name) { return value.isEmpty ? value : Self.text }
        return Self.fieldsOfOneURL.contains { ASCII.equalIgnoringCase($0, name) } ? url(value) : text(value)
    }

    /// Fields that hold a URL and nothing else (RFC 9110 sections 10.1.3, 10.2.2 and 8.7; RFC 4918 section 10.3).
    private static let fieldsOfOneURL = ["location", "content-location", "referer", "origin", "destination"]

    // MARK: URLs, text and bodies

    /// A URL, or what was meant for one, with its user information and its secret items masked.
    package func url(_ url: String) -> String { masked(url) { $0.maskURL() } }

    /// Any text, with the secrets of the URLs, pairs, fields, JSON and XML in it masked.
    package func text(_ text: String) -> String { masked(text) { $0.maskText() } }

    /// A body with the secrets of its members, fields or parts masked; as it is when it holds none.
    package func body(_ data: Data) -> Data {
        let masked: [UInt8]? = data.withUnsafeBytes { bytes in
            var scanner = SecretScanner(bytes.bindMemory(to: UInt8.self), isSecret)
            scanner.maskBody()
            return scanner.result
        }
        return masked.map { Data($0) } ?? data
    }

    private func masked(_ text: String, _ mask: (inout SecretScanner) -> Void) -> String {
        var text = text
        let masked: [UInt8]? = text.withUTF8 { bytes in
            guard bytes.contains(where: SecretScanner.mayTell) else { return nil }
            var scanner = SecretScanner(bytes, isSecret)
            mask(&scanner)
            return scanner.result
        }
        return masked.map { String(decoding: $0, as: UTF8.self) } ?? text
    }
}
