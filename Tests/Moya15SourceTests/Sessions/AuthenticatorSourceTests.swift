#if TaskAlias
import Foundation
import Moya
import MoyaSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct OAuthCredential: AuthenticationCredential {
    let accessToken: String
    let refreshToken: String
    let expiration: Date

    // Require refresh if within 5 minutes of expiration
    var requiresRefresh: Bool { Date(timeIntervalSinceNow: 60 * 5) > expiration }
}

class OAuthAuthenticator: Authenticator {
    var refreshes = 0

    func apply(_ credential: OAuthCredential, to urlRequest: inout URLRequest) {
        urlRequest.headers.add(.authorization(bearerToken: credential.accessToken))
    }

    func refresh(
        _ credential: OAuthCredential, for session: Session,
        completion: @escaping (Result<OAuthCredential, Error>) -> Void
    ) {
        refreshes += 1
        let next = OAuthCredential(
            accessToken: "new", refreshToken: credential.refreshToken, expiration: Date(timeIntervalSinceNow: 3600))
        completion(.success(next))
    }

    func didRequest(
        _ urlRequest: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: Error
    ) -> Bool {
        return response.statusCode == 401
    }

    func isRequest(_ urlRequest: URLRequest, authenticatedWith credential: OAuthCredential) -> Bool {
        let bearerToken = HTTPHeader.authorization(bearerToken: credential.accessToken).value
        return urlRequest.headers["Authorization"] == bearerToken
    }
}

@Suite struct AuthenticatorSourceTests {
    private func requests(expiringIn seconds: TimeInterval) async -> ([String?], OAuthAuthenticator) {
        let credential = OAuthCredential(
            accessToken: "old", refreshToken: "refresh", expiration: Date(timeIntervalSinceNow: seconds))
        let authenticator = OAuthAuthenticator()
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: credential)
        let transport = AnsweringTransport(status: 401)
        let session = Session(transport: transport)
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let urlRequest = URLRequest(url: URL(string: "https://api.example.com/example/user")!)
            session.request(urlRequest, interceptor: interceptor)
                .validate()
                .response(queue: .global()) { _ in continuation.resume() }
        }
        return (transport.requests.map { $0.value(for: "Authorization") }, authenticator)
    }

    @Test func aRefusedCredentialIsRefreshedUntilTheWindowIsFull() async {
        let (tokens, authenticator) = await requests(expiringIn: 3600)
        #expect(tokens.first == "Bearer old" && tokens.dropFirst().allSatisfy { $0 == "Bearer new" })
        #expect(authenticator.refreshes == 5)
    }

    @Test func aCredentialThatIsDueIsNotSent() async {
        let (tokens, _) = await requests(expiringIn: 60)
        #expect(tokens.first == "Bearer new")
    }

    @Test func theWindowIsConfiguredByTheApp() {
        let interceptor = AuthenticationInterceptor(
            authenticator: OAuthAuthenticator(), credential: nil,
            refreshWindow: AuthenticationInterceptor.RefreshWindow(interval: 60, maximumAttempts: 1))
        #expect(interceptor.credential == nil)
        interceptor.credential = OAuthCredential(accessToken: "a", refreshToken: "b", expiration: Date())
        #expect(interceptor.credential?.requiresRefresh == true)
        let error: Error = AuthenticationError.excessiveRefresh
        #expect(error as? AuthenticationError == .excessiveRefresh)
    }
}
#endif
