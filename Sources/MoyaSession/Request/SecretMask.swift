import MoyaTransport

/// Hides what must not be printed.
package enum SecretMask {
    /// What is printed in place of a secret.
    package static let text = "<masked>"

    /// Whether the value of a request header field lets whoever reads it act as the user.
    package static func hidesHeader(named name: String) -> Bool {
        ["authorization", "cookie", "proxy-authorization"].contains { ASCII.equalIgnoringCase($0, name) }
    }

    /// The URL with its user information, name and password both, masked.
    package static func maskingUserInformation(in url: String) -> String {
        // Scalars, not characters: an accent that follows a delimiter makes one character with it.
        let scalars = url.unicodeScalars
        guard let slashes = scalars.firstRange(of: "//".unicodeScalars) else { return url }
        let authority = scalars[slashes.upperBound...].prefix { !"/?#\\".unicodeScalars.contains($0) }
        // The last one: what comes before it belongs to the user information, valid or not.
        guard let at = authority.lastIndex(of: "@") else { return url }
        return url[..<slashes.upperBound] + text + url[at...]
    }
}
