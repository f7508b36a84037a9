import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A target whose calls carry a token.
@preconcurrency
public protocol AccessTokenAuthorizable: Sendable {
    /// The word before the token; `nil` to send no token.
    var authorizationType: AuthorizationType? { get }
}

/// The word that precedes a token in `Authorization` (RFC 9110 section 11.4).
public enum AuthorizationType: Sendable, Hashable {
    /// `Basic`
    case basic
    /// `Bearer`
    case bearer
    /// Any other word.
    case custom(String)

    /// The word.
    public var value: String {
        switch self {
        case .basic: "Basic"
        case .bearer: "Bearer"
        case .custom(let value): value
        }
    }
}

/// Adds `Authorization` with a token to the calls of targets that require it.
public struct AccessTokenPlugin: PluginType {
    /// Gives the token for a target.
    public typealias TokenClosure = @Sendable (any TargetType) -> String

    /// Returns the token for a target; called only for targets that carry one.
    public let tokenClosure: TokenClosure

    /// Makes a plugin.
    ///
    /// - Parameter tokenClosure: Gives the token for a target, the one inside for a `MultiTarget`. It is sent as it is.
    @preconcurrency
    public init(tokenClosure: @escaping TokenClosure) { self.tokenClosure = tokenClosure }

    /// Adds the field, after a comma where there is one already.
    public func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest {
        guard let authorizable = target as? any AccessTokenAuthorizable,
            let authorizationType = authorizable.authorizationType
        else { return request }
        let inner = (target as? MultiTarget)?.target ?? target
        var request = request
        request.addValue("\(authorizationType.value) \(tokenClosure(inner))", forHTTPHeaderField: "Authorization")
        return request
    }
}
