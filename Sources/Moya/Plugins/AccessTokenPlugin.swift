import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A target whose calls carry a token.
@preconcurrency
public protocol AccessTokenAuthorizable: Sendable {
    /// The scheme before the token; `nil` to send no token.
    var authorizationType: AuthorizationType? { get }
}

/// The authentication scheme before a token in `Authorization` (RFC 9110 section 11.4).
public enum AuthorizationType: Sendable, Hashable {
    /// `Basic`
    case basic
    /// `Bearer`
    case bearer
    /// Any other scheme.
    case custom(String)

    /// The scheme as text.
    public var value: String {
        switch self {
        case .basic: "Basic"
        case .bearer: "Bearer"
        case .custom(let value): value
        }
    }
}

/// Adds `Authorization` with a token to the calls of ``AccessTokenAuthorizable`` targets.
public struct AccessTokenPlugin: PluginType {
    /// Returns the token for a target.
    @preconcurrency
    public typealias TokenClosure = @Sendable (any TargetType) -> String

    /// Returns the token for a target; called only for targets that need one.
    public let tokenClosure: TokenClosure

    /// Makes a plugin.
    ///
    /// - Parameter tokenClosure: Returns the token for a target; for a `MultiTarget`, the wrapped one. The token is
    ///   sent unchanged.
    @preconcurrency
    public init(tokenClosure: @escaping TokenClosure) { self.tokenClosure = tokenClosure }

    /// Adds the field, after a comma if the request already has one.
    public func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest {
        var request = request
        addToken(to: &request, target: target)
        return request
    }

    func addToken(to request: inout URLRequest, target: any TargetType) {
        guard let authorizable = target as? any AccessTokenAuthorizable,
            let authorizationType = authorizable.authorizationType
        else { return }
        let credential = Self.keepingRefused(authorizationType.value + " " + tokenClosure(target.innermost))
        var fields = request.allHTTPHeaderFields ?? [:]
        let name = fields.keys.first { ASCII.equalIgnoringCase($0, "authorization") } ?? "Authorization"
        fields[name] = fields[name].map { "\($0),\(credential)" } ?? credential
        // On Linux, setting one field costs twice as much as setting all.
        request.allHTTPHeaderFields = fields
    }

    /// Replaces characters that make Foundation on Linux silently drop the field with U+0001, which makes the call fail
    /// with an error that names the field.
    static func keepingRefused(_ value: String) -> String {
        guard value.utf8.contains(where: { $0 == 0 || $0 == 10 || $0 == 13 }) else { return value }
        return String(decoding: value.utf8.map { $0 == 0 || $0 == 10 || $0 == 13 ? 1 : $0 }, as: UTF8.self)
    }
}
