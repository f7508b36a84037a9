import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// The place of the token in a call, for ``SessionRefresh``.
public struct TokenLocation: Sendable {
    let place: @Sendable (_ accessToken: String, _ call: inout Call) -> Void
    /// `true` if a call is authorized in another way, and needs no token.
    var isTaken: @Sendable (_ call: Call) -> Bool = { _ in false }

    /// In `Authorization`, after `Bearer` (RFC 6750 section 2.1).
    ///
    /// A target that is ``AccessTokenAuthorizable`` has its own word instead of `Bearer`; where the provider has an
    /// ``AccessTokenPlugin``, that is left to the plugin. A call whose `Authorization` has another scheme, such as
    /// `Basic`, keeps it and needs no token.
    public static let bearer = TokenLocation(
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

    /// In a separate header field, which a redirect to another origin does not take along.
    public static func field(_ name: String) -> TokenLocation {
        TokenLocation { token, call in
            call.request.setValue(token, forHTTPHeaderField: name)
            call.credentialFields.insert(name)
        }
    }

    /// Wherever a closure puts it; a redirect to another origin takes none of the header fields along that it sets.
    public static func custom(
        _ place: @escaping @Sendable (_ accessToken: String, _ request: inout URLRequest) -> Void
    ) -> TokenLocation {
        TokenLocation { token, call in
            let bare = call.request
            place(token, &call.request)
            call.credentialFields.formUnion(call.request.fields(changedSince: bare))
        }
    }

    /// Nowhere: a plugin or the session does it.
    public static let none = TokenLocation { _, _ in }
}
