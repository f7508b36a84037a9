public import Foundation
import MoyaSession
import MoyaTransport

/// The reason that a call has no usable token.
public enum SessionRefreshError: Error {
    /// The server no longer accepts the refresh token; the tokens were removed.
    ///
    /// The closure that refreshes can throw it to declare a refusal that is neither a 401 nor an `invalid_grant`.
    case refused(MoyaError?)
    /// The refresh did not end while the call could wait for it.
    case tookTooLong(Duration)
    /// The response to the refresh has an empty access token.
    case emptyAccessToken
    /// The tokens were removed during the refresh.
    case loggedOut
    /// The store could not be read.
    case storeUnreadable(any Error)
    /// The new tokens could not be stored; they are kept in memory, and stored before the next call.
    case storeUnwritable(any Error)
}

extension SessionRefreshError: MaskedDescription {
    /// The message, with secrets masked.
    public var description: String { errorDescription ?? "" }
}

extension SessionRefreshError: LocalizedError {
    /// Names the problem and its remedy.
    public var errorDescription: String? {
        switch self {
        case .refused:
            "The session could not be refreshed: the server refused the refresh token. Log in again."
        case .tookTooLong(let limit):
            "The session could not be refreshed within \(limit). Try again, or pass a SessionRefresh with a longer refreshingAtMost:."
        case .emptyAccessToken:
            "The session could not be refreshed: the access token in the server's answer is empty."
        case .loggedOut:
            "The call was not made: its user was logged out while the session was refreshed."
        case .storeUnreadable(let error):
            "The tokens could not be read from their store: \(sentence(of: error))"
        case .storeUnwritable(let error):
            "The new tokens could not be written to their store, and are kept in memory until they can: \(sentence(of: error))"
        }
    }
}

extension SessionRefreshError {
    /// The error of a failed call.
    var moyaError: MoyaError {
        if case .refused(let error) = self { .underlying(self, error?.response) } else { .underlying(self, nil) }
    }

    /// `true` if an error of the refreshing closure means that the refresh token is no longer valid.
    ///
    /// It is `invalid_grant` (RFC 6749 section 5.2), or a 401 that names no error: `invalid_client` is about the app.
    static func isRefusal(_ error: MoyaError) -> Bool {
        if case .underlying(SessionRefreshError.refused, _) = error { return true }
        guard let response = error.response, [400, 401].contains(response.statusCode) else { return false }
        struct Answer: Decodable { let error: String }
        let answer = try? JSONDecoder().decode(Answer.self, from: response.data)
        return answer.map { ["invalid_grant", "invalid_token"].contains($0.error) } ?? (response.statusCode == 401)
    }
}
