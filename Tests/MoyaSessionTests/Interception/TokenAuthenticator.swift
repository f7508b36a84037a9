import Foundation
import MoyaTransport

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct Token: AuthenticationCredential, Hashable {
    var value: String
    var requiresRefresh = false
}

struct Refused: Error, Hashable {}

/// Applies tokens unchanged and refreshes them as a test scripts.
final class TokenAuthenticator: Authenticator {
    typealias Completion = @Sendable (Result<Token, any Error>) -> Void

    let applications = Arrivals()
    let refreshes = Arrivals()
    let refusals = Arrivals()
    private let onRefresh: @Sendable (Token, Session, @escaping Completion) -> Void
    /// The answer of `isRequest`, where it is not the true one.
    private let recognizes: Bool?

    init(
        recognizes: Bool? = nil, onRefresh: @escaping @Sendable (Token, Session, @escaping Completion) -> Void
    ) {
        self.recognizes = recognizes
        self.onRefresh = onRefresh
    }

    /// Makes an authenticator whose refresh returns a result at once.
    convenience init(refreshingTo result: Result<Token, any Error>) { self.init { $2(result) } }

    func apply(_ credential: Token, to urlRequest: inout URLRequest) {
        applications.arrive()
        urlRequest.setValue(credential.value, forHTTPHeaderField: "Authorization")
    }

    func refresh(_ credential: Token, for session: Session, completion: @escaping Completion) {
        refreshes.arrive()
        onRefresh(credential, session, completion)
    }

    func didRequest(
        _ urlRequest: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: any Error
    ) -> Bool {
        guard response.statusCode == 401 else { return false }
        refusals.arrive()
        return true
    }

    func isRequest(_ urlRequest: URLRequest, authenticatedWith credential: Token) -> Bool {
        recognizes ?? (urlRequest.value(forHTTPHeaderField: "Authorization") == credential.value)
    }
}

/// Holds the answers of refreshes until a test gives them.
final class HeldRefresh: Sendable {
    /// Counts the refreshes that can be answered: the authenticator counts them sooner.
    let refreshes = Arrivals()
    private let held = Lock<[TokenAuthenticator.Completion]>([])

    /// An authenticator whose refreshes are held.
    func authenticator() -> TokenAuthenticator {
        TokenAuthenticator { [self] _, _, completion in
            held.withLock { $0.append(completion) }
            refreshes.arrive()
        }
    }

    /// Answers the refresh that was begun first of those held.
    func answer(_ result: Result<Token, any Error>) {
        held.withLock { $0.isEmpty ? nil : $0.removeFirst() }?(result)
    }

    func succeed(_ value: String) { answer(.success(Token(value: value))) }
}
