import Foundation
import MoyaTransport

/// A parsed `Set-Cookie` field (RFC 6265bis section 5.6), not yet validated.
package struct SetCookie: Sendable, Equatable {
    /// The name; empty for a field without an equals sign.
    package var name: String
    /// The value, with quotes if they were sent.
    package var value: String
    /// The expiry of the cookie, in the past to delete it; `nil` for a session cookie.
    package var expires: Date?
    /// The domain in lower case, without a leading dot; `nil` or empty for the host alone.
    package var domain: String?
    /// The path; `nil` for the directory of the URL.
    package var path: String?
    /// `true` if the cookie is only for secure connections.
    package var isSecure = false
    /// `true` if the cookie is only for HTTP.
    package var isHTTPOnly = false

    /// The maximum number of bytes of name and value together.
    static let mostBytes = 4096
    /// The maximum number of bytes in an attribute's value; a longer one is ignored.
    static let mostAttributeBytes = 1024
    /// The maximum lifetime of a cookie: 400 days.
    static let longestLife: TimeInterval = 400 * 86400

    /// Parses a field value; `nil` if the whole field must be ignored.
    package init?(parsing field: String, now: Date) {
        guard ASCII.isFieldValue(field) else { return nil }
        let parts = field.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        guard let pair = parts.first else { return nil }
        if let equals = pair.firstIndex(of: UInt8(ascii: "=")) {
            name = ASCII.trimmed(Substring(pair[..<equals]))
            value = ASCII.trimmed(Substring(pair[equals...].dropFirst()))
        } else {
            name = ""
            value = ASCII.trimmed(Substring(pair))
        }
        let count = name.utf8.count + value.utf8.count
        guard count > 0, count <= Self.mostBytes else { return nil }

        var ageLimit: Date?
        var expiryDate: Date?
        for part in parts.dropFirst() {
            let equals = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
            let key = ASCII.trimmed(Substring(part[..<equals]))
            let text = ASCII.trimmed(Substring(part[equals...].dropFirst()))
            guard text.utf8.count <= Self.mostAttributeBytes else { continue }
            // The last of repeated attributes counts.
            if ASCII.equalIgnoringCase(key, "expires") {
                expiryDate = CookieDate.date(from: text) ?? expiryDate
            } else if ASCII.equalIgnoringCase(key, "max-age") {
                ageLimit = Self.age(text).map { Self.end(after: $0, now: now) } ?? ageLimit
            } else if ASCII.equalIgnoringCase(key, "domain") {
                // Unicode has letters whose lower case is one of ASCII.
                let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
                let name = text.utf8.first == UInt8(ascii: ".") ? String(text.dropFirst()) : text
                domain = isASCII ? name.lowercased() : name
            } else if ASCII.equalIgnoringCase(key, "path") {
                path = text.utf8.first == UInt8(ascii: "/") ? text : nil
            } else if ASCII.equalIgnoringCase(key, "secure") {
                isSecure = true
            } else if ASCII.equalIgnoringCase(key, "httponly") {
                isHTTPOnly = true
            }
        }
        expires = ageLimit ?? expiryDate.map { min($0, now + Self.longestLife) }
    }

    /// `true` if the field removes the cookie.
    package func isRemoval(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }

    /// Seconds, with any number of digits; `nil` if it is not an integer.
    private static func age(_ text: String) -> TimeInterval? {
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let digits = isNegative ? text.utf8.dropFirst() : text.utf8[...]
        guard digits.allSatisfy(ASCII.isDigit) else { return nil }
        if isNegative { return 0 }
        guard !digits.isEmpty else { return nil }
        return digits.reduce(0) { min($0 * 10 + TimeInterval($1 - UInt8(ascii: "0")), longestLife) }
    }

    private static func end(after age: TimeInterval, now: Date) -> Date { age > 0 ? now + age : .distantPast }
}
