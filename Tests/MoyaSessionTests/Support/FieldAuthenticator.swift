import Foundation
import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Places a credential that is never refreshed in a header field.
final class FieldAuthenticator: Authenticator {
    struct Credential: AuthenticationCredential {
        let value: String
        var requiresRefresh: Bool { false }
    }

    private let name: String

    init(_ name: String) { self.name = name }

    func apply(_ credential: Credential, to urlRequest: inout URLRequest) {
        urlRequest.setValue(credential.value, forHTTPHeaderField: name)
    }

    func refresh(
        _ credential: Credential, for session: Session,
        completion: @escaping @Sendable (Result<Credential, any Error>) -> Void
    ) { completion(.success(credential)) }

    func didRequest(
        _ urlRequest: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: any Error
    ) -> Bool { false }

    func isRequest(_ urlRequest: URLRequest, authenticatedWith credential: Credential) -> Bool { true }
}
