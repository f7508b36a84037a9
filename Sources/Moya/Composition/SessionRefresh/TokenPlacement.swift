import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Where ``SessionRefresh`` puts the token of a call.
public struct TokenPlacement: Sendable {
    let place: @Sendable (_ accessToken: String, _ call: inout Call) -> Void
    /// Whether a call is authorized in another way, and needs no token.
    var isTaken: @Sendable (_ call: Call) -> Bool = { _ in false }

    /// In `Authorization`, after `Bearer` (RFC 6750 section 2.1).
    ///
    /// A target that is ``AccessTokenAuthorizable`` has its own word instead of `Bearer`; where the provider has an
    /// ``AccessTokenPlugin``, that is left to the plugin. A call whose `Authorization` has another scheme, such as
    /// `Basic`, keeps it and needs no token.
    public static let bearer = TokenPlacement(
        place: { token, call in
            let word = word(of: call)
            if word != nil, call.plugins?.plugins.contains(where: { $0 is AccessTokenPlugin }) == true { return }
            call.request.setValue("\((word ?? .bearer).value) \(token)", forHTTPHeaderField: "Authorization")
        },
        isTaken: { call in
            guard let value = call.request.value(forHTTPHeaderField: "Authorization") else { return false }
            let scheme = value.prefix { $0 != " " }
            return scheme.caseInsensitiveCompare((word(of: call) ?? .bearer).value) != .orderedSame
        })

    private static func word(of call: Call) -> AuthorizationType? {
        (call.target as? any AccessTokenAuthorizable)?.authorizationType
    }

    /// In a header field of its own.
    public static func field(_ name: String) -> TokenPlacement {
        TokenPlacement { token, call in call.request.setValue(token, forHTTPHeaderField: name) }
    }

    /// Wherever a closure puts it.
    public static func custom(
        _ place: @escaping @Sendable (_ accessToken: String, _ request: inout URLRequest) -> Void
    ) -> TokenPlacement {
        TokenPlacement { token, call in place(token, &call.request) }
    }

    /// Nowhere: a plugin or the session does it.
    public static let none = TokenPlacement { _, _ in }
}
