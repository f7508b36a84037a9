import Foundation
import MoyaSession

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// The location of the token in a request, for ``SessionRefresh``.
public struct TokenLocation: Sendable {
    let place: @Sendable (_ accessToken: String, _ call: inout MiddlewareCall) -> Void
    /// `true` if a call is authorized otherwise, and needs no token.
    var isTaken: @Sendable (_ call: MiddlewareCall) -> Bool = { _ in false }

    /// The field `Authorization`, after `Bearer` (RFC 6750 section 2.1).
    ///
    /// A target that is ``AccessTokenAuthorizable`` uses its own scheme instead of `Bearer`; if the provider has an
    /// ``AccessTokenPlugin``, the plugin adds the field. A call whose `Authorization` has another scheme, such as
    /// `Basic`, keeps it and needs no token.
    public static let bearer = TokenLocation(
        place: { token, call in
            let word = word(of: call)
            // Plugins that `PluginsMiddleware` has already run do not add it.
            if word != nil, call.unsent == nil,
                call.plugins?.plugins.contains(where: { $0 is AccessTokenPlugin }) == true
            {
                return
            }
            let credential = AccessTokenPlugin.keepingRefused("\((word ?? .bearer).value) \(token)")
            call.request.setValue(credential, forHTTPHeaderField: "Authorization")
        },
        isTaken: { call in
            guard let value = call.request.value(forHTTPHeaderField: "Authorization") else { return false }
            let scheme = value.prefix { $0 != " " }
            return scheme.caseInsensitiveCompare((word(of: call) ?? .bearer).value) != .orderedSame
        })

    private static func word(of call: MiddlewareCall) -> AuthorizationType? {
        (call.target as? any AccessTokenAuthorizable)?.authorizationType
    }

    /// A separate header field, which is dropped on a redirect to another origin.
    public static func field(_ name: String) -> TokenLocation {
        TokenLocation { token, call in
            call.request.setValue(AccessTokenPlugin.keepingRefused(token), forHTTPHeaderField: name)
            call.credentialFields.insert(name)
        }
    }

    /// A location set by a closure; header fields that it sets are dropped on a redirect to another origin.
    ///
    /// To find them, the first token is also placed in a copy of the request without fields, which is not sent.
    public static func custom(
        _ place: @escaping @Sendable (_ accessToken: String, _ request: inout URLRequest) -> Void
    ) -> TokenLocation {
        let fields = AppliedFields()
        return TokenLocation { token, call in
            call.credentialFields.formUnion(fields.apply(to: &call.request) { place(token, &$0) })
        }
    }

    /// No location: a plugin or the session adds the token.
    public static let none = TokenLocation { _, _ in }
}
