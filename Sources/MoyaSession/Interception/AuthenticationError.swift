public import Foundation

/// The reason that an ``AuthenticationInterceptor`` stopped a request.
public enum AuthenticationError: Error, Sendable, Hashable {
    /// The interceptor has no credential; set its `credential`.
    case missingCredential
    /// The refresh window's limit of refreshes was exceeded.
    case excessiveRefresh
}

extension AuthenticationError: LocalizedError {
    /// Names the problem and its remedy.
    public var errorDescription: String? {
        switch self {
        case .missingCredential:
            "There is no credential to send the request with; set the authentication interceptor's credential."
        case .excessiveRefresh:
            """
            The credential was refreshed as often as the refresh window allows, and is refused or due again; check what \
            the authenticator's refresh gives, or widen the window.
            """
        }
    }
}

/// The error of a refresh that released its completion without calling it.
public struct UnansweredRefreshError: Error, Sendable, Hashable, LocalizedError {
    /// Makes an error.
    public init() {}

    /// Names the problem and its remedy.
    public var errorDescription: String? {
        "The authenticator's refresh released its completion without calling it; call it once, on every path."
    }
}
