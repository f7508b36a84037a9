public import Foundation
import MoyaTransport

/// An access token, its refresh token, and its expiry.
///
/// It is decoded from a token endpoint's response (RFC 6749 section 5.1), and encoded with the same names plus the
/// expiry: `access_token`, `refresh_token`, `expires_in`, `expires_at`. A response without a token, with an empty
/// one but no number under `expires_at`, or with a negative lifetime, is a `DecodingError`. Descriptions mask the tokens.
public struct OAuthTokens: Sendable, Hashable {
    /// The token in requests; empty if there is none yet.
    public var accessToken: String
    /// The token that obtains a new access token; an empty one becomes `nil` (RFC 6749 appendix A.17).
    public var refreshToken: String? { didSet { refreshToken = Self.nonEmpty(refreshToken) } }
    /// The expiry of the access token; `nil` if it is unknown, and the token is used until a server refuses it.
    ///
    /// It is clamped to between `Date.distantPast` and `Date.distantFuture`; a NaN date becomes `nil`.
    public var expiry: Date? { didSet { expiry = Self.clamped(expiry) } }
    /// The lifetime of the access token when it was issued, in seconds, if the server stated it.
    ///
    /// It is clamped to between 0 and a hundred years; NaN becomes `nil`.
    public var lifetime: TimeInterval? { didSet { lifetime = Self.clamped(lifetime) } }

    /// The maximum lifetime: a hundred years, in seconds.
    private static let longestLifetime: TimeInterval = 100 * 365.25 * 86_400

    // NaN and infinity cannot be encoded or, on Linux, printed.
    private static func clamped(_ expiry: Date?) -> Date? {
        guard let expiry, !expiry.timeIntervalSince1970.isNaN else { return nil }
        return min(max(expiry, .distantPast), .distantFuture)
    }

    private static func nonEmpty(_ refreshToken: String?) -> String? {
        refreshToken?.isEmpty == true ? nil : refreshToken
    }

    private static func clamped(_ lifetime: TimeInterval?) -> TimeInterval? {
        guard let lifetime, !lifetime.isNaN else { return nil }
        return min(max(lifetime, 0), longestLifetime)
    }

    /// Makes tokens.
    public init(accessToken: String, refreshToken: String? = nil, expiry: Date? = nil, lifetime: TimeInterval? = nil) {
        self.accessToken = accessToken
        self.refreshToken = Self.nonEmpty(refreshToken)
        self.expiry = Self.clamped(expiry)
        self.lifetime = Self.clamped(lifetime)
    }

    /// Makes tokens for a client that has only a refresh token.
    public init(refreshToken: String) {
        self.init(accessToken: "", refreshToken: refreshToken, expiry: .distantPast)
    }

    /// `true` if the access token is expected to be valid.
    ///
    /// - Parameters:
    ///   - date: The time of use.
    ///   - allowance: The seconds before its expiry during which it is no longer used; at most a quarter of its
    ///     lifetime.
    func isValid(at date: Date, allowance: TimeInterval) -> Bool {
        guard !accessToken.isEmpty else { return false }
        guard let expiry else { return true }
        let allowance = lifetime.map { min(allowance, $0 / 4) } ?? allowance
        return date.timeIntervalSince(expiry) < -allowance
    }

    /// `true` if the tokens belong to the same log-in, as far as a store can tell: not to one that has replaced it.
    func hasRefreshToken(of other: OAuthTokens) -> Bool { refreshToken == other.refreshToken }

    /// `true` if both tokens are the same; the expiry is ignored, because a store may have rounded it.
    func hasTokens(of other: OAuthTokens) -> Bool { accessToken == other.accessToken && hasRefreshToken(of: other) }

    /// Returns the tokens of a refresh; the old refresh token remains if the server sends no new one (RFC 6749 section
    /// 6).
    ///
    /// - Parameter date: The start of the refresh, which is the start of the lifetime.
    func succeeding(_ old: OAuthTokens, requestedAt date: Date) -> OAuthTokens {
        var tokens = self
        tokens.refreshToken = refreshToken ?? old.refreshToken
        if let lifetime { tokens.expiry = date.addingTimeInterval(lifetime) }
        return tokens
    }
}

extension OAuthTokens: Codable {
    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case refreshToken = "refresh_token"
        case lifetime = "expires_in"
        case expiry = "expires_at"
    }

    /// Decodes tokens from a server's response or from a store.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        accessToken = try values.decode(String.self, forKey: .accessToken)
        refreshToken = Self.nonEmpty(try values.decodeIfPresent(String.self, forKey: .refreshToken))
        lifetime = try Self.lifetime(in: values)
        // Not a field of the RFC: some servers have text under this name, which is ignored (section 5.1).
        if let stored = try? values.decode(TimeInterval.self, forKey: .expiry) {
            expiry = Self.clamped(Date(timeIntervalSince1970: stored))
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
        return clamped(number)
    }

    /// Encodes tokens in the form that can be decoded again.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(accessToken, forKey: .accessToken)
        try values.encodeIfPresent(refreshToken, forKey: .refreshToken)
        try values.encodeIfPresent(lifetime, forKey: .lifetime)
        // Without an expiry, an empty access token is the error of a server.
        let expiry = accessToken.isEmpty ? expiry ?? .distantPast : expiry
        try values.encodeIfPresent(expiry?.timeIntervalSince1970, forKey: .expiry)
    }
}

extension OAuthTokens: MaskedDescription {
    /// The expiry, without the tokens.
    public var description: String {
        "OAuthTokens(access: \(accessToken.isEmpty ? "none" : "***"), refresh: \(refreshToken == nil ? "none" : "***"), "
            + "expiry: \(expiry.map { "\($0)" } ?? "not known"))"
    }
}
