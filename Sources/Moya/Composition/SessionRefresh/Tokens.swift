public import Foundation

/// An access token, what renews it, and when it expires.
///
/// It is decoded from a token endpoint's answer (RFC 6749 section 5.1), and encoded with the same names and the expiry
/// besides: `access_token`, `refresh_token`, `expires_in`, `expires_at`. An answer without a token, or with a negative
/// lifetime, is a `DecodingError`. Printed, the tokens are masked.
public struct Tokens: Sendable, Hashable {
    /// What calls carry; empty when there is none yet.
    public var accessToken: String
    /// What a new access token is asked for with.
    public var refreshToken: String?
    /// When the access token expires; `nil` when that is not known, and it is used until a server refuses it.
    public var expiry: Date?
    /// How many seconds the access token was good for when it was issued, where the server said so.
    public var lifetime: TimeInterval?

    /// What no lifetime exceeds: a hundred years, in seconds.
    private static let longestLifetime: TimeInterval = 100 * 365.25 * 86_400

    /// Makes tokens.
    public init(accessToken: String, refreshToken: String? = nil, expiry: Date? = nil, lifetime: TimeInterval? = nil) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.expiry = expiry
        self.lifetime = lifetime
    }

    /// Makes tokens of a client that has none but the one that renews them.
    public init(refreshToken: String) {
        self.init(accessToken: "", refreshToken: refreshToken, expiry: .distantPast)
    }

    /// Whether the access token can be expected to be accepted.
    ///
    /// - Parameters:
    ///   - date: When it is to be used.
    ///   - allowance: How many seconds before its expiry it is not used any more; at most a quarter of its lifetime.
    func isValid(at date: Date, allowance: TimeInterval) -> Bool {
        guard !accessToken.isEmpty else { return false }
        guard let expiry else { return true }
        let allowance = lifetime.map { min(allowance, $0 / 4) } ?? allowance
        return date.timeIntervalSince(expiry) < -allowance
    }

    /// The answer to a refresh, where the old refresh token goes on when the server gives no other (RFC 6749 section 6).
    ///
    /// - Parameter date: When the refresh began, which is what the lifetime is counted from.
    func succeeding(_ old: Tokens, requestedAt date: Date) -> Tokens {
        var tokens = self
        tokens.refreshToken = refreshToken ?? old.refreshToken
        if let lifetime { tokens.expiry = date.addingTimeInterval(lifetime) }
        return tokens
    }
}

extension Tokens: Codable {
    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case refreshToken = "refresh_token"
        case lifetime = "expires_in"
        case expiry = "expires_at"
    }

    /// Decodes tokens from a server's answer or from where they were stored.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        accessToken = try values.decode(String.self, forKey: .accessToken)
        refreshToken = try values.decodeIfPresent(String.self, forKey: .refreshToken)
        lifetime = try Self.lifetime(in: values)
        if let stored = try values.decodeIfPresent(TimeInterval.self, forKey: .expiry) {
            expiry = Date(timeIntervalSince1970: stored)
        } else {
            expiry = lifetime.map { Date().addingTimeInterval($0) }
            guard !accessToken.isEmpty else {
                throw DecodingError.dataCorruptedError(
                    forKey: .accessToken, in: values, debugDescription: "The access token is empty.")
            }
        }
    }

    private static func lifetime(in values: KeyedDecodingContainer<CodingKeys>) throws -> TimeInterval? {
        guard values.contains(.lifetime), try !values.decodeNil(forKey: .lifetime) else { return nil }
        // Some servers write the number as a string.
        let number: TimeInterval?
        if let text = try? values.decode(String.self, forKey: .lifetime) {
            number = TimeInterval(text)
        } else {
            number = try values.decode(TimeInterval.self, forKey: .lifetime)
        }
        guard let number, number >= 0 else {
            throw DecodingError.dataCorruptedError(
                forKey: .lifetime, in: values,
                debugDescription: "The lifetime of a token must be a number of seconds that is not negative.")
        }
        return min(number, longestLifetime)
    }

    /// Encodes tokens, as they can be decoded again.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(accessToken, forKey: .accessToken)
        try values.encodeIfPresent(refreshToken, forKey: .refreshToken)
        try values.encodeIfPresent(lifetime, forKey: .lifetime)
        try values.encodeIfPresent(expiry?.timeIntervalSince1970, forKey: .expiry)
    }
}

extension Tokens: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The expiry; never the tokens.
    public var description: String {
        "Tokens(access: \(accessToken.isEmpty ? "none" : "***"), refresh: \(refreshToken == nil ? "none" : "***"), "
            + "expiry: \(expiry.map { "\($0)" } ?? "not known"))"
    }

    /// The expiry; never the tokens.
    public var debugDescription: String { description }

    /// The expiry; never the tokens.
    public var customMirror: Mirror { Mirror(self, children: ["expiry": expiry as Any]) }
}
