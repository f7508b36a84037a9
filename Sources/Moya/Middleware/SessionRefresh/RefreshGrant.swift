public import Foundation
public import MoyaSession

/// The request for a new access token with a refresh token, by a public client (RFC 6749 section 6).
///
/// A redirect is never followed, even if the session's handler would: it would send the refresh token to another
/// endpoint.
///
///     let tokens = try await MoyaProvider<RefreshGrant>().request(grant, as: OAuthTokens.self)
public struct RefreshGrant: TargetType, AccessTokenAuthorizable {
    /// The server's token endpoint.
    public var tokenURL: URL
    /// The client's identifier, which a public client sends instead of a secret (RFC 6749 section 3.2.1).
    public var clientID: String
    /// The token that obtains a new access token.
    public var refreshToken: String
    /// The requested scope; `nil` for that of the first grant.
    public var scope: String?

    /// Makes a request.
    public init(tokenURL: URL, clientID: String, refreshToken: String, scope: String? = nil) {
        self.tokenURL = tokenURL
        self.clientID = clientID
        self.refreshToken = refreshToken
        self.scope = scope
    }

    /// The token endpoint.
    public var baseURL: URL { tokenURL }
    /// Empty: the token endpoint itself is called.
    public var path: String { "" }
    /// POST.
    public var method: Method { .post }
    /// A form in the body.
    public var task: RequestTask {
        var parameters: Parameters = [
            "grant_type": "refresh_token", "refresh_token": refreshToken, "client_id": clientID,
        ]
        parameters["scope"] = scope
        return .requestParameters(parameters: parameters, encoding: URLEncoding.httpBody)
    }
    /// Accepts JSON, the format of the response (RFC 6749 section 5.1).
    public var headers: [String: String]? { ["Accept": "application/json"] }
    /// None: this request obtains the tokens.
    public var authorizationType: AuthorizationType? { nil }
}
