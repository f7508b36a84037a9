import Foundation
import Moya
import MoyaSession
import Testing

/// nginx's `auth_basic`, and the number of its challenges.
@Suite(.needsServers)
struct NginxBasicAuthenticationTests {
    let servers: Servers
    let mark = uniqueMark()

    init() throws { servers = try #require(Servers.running) }

    @Test func sendsTheRightCredentialAfterAChallenge() async throws {
        let response = try await get(user: "ole", password: "secret")
        #expect(response.statusCode == 200)
        #expect(response.data.count == 196)
        #expect(try await statuses(count: 2) == [401, 200])
    }

    @Test func theWrongPasswordIsTriedOnceAndTheResultIsThe401() async throws {
        let response = try await get(user: "ole", password: "wrong")
        #expect(response.statusCode == 401)
        #expect(response.response?.value(forHTTPHeaderField: "WWW-Authenticate") == "Basic realm=\"private\"")
        #expect(try await statuses(count: 2) == [401, 401])
    }

    @Test func anUnknownUserIsTriedOnceToo() async throws {
        #expect(try await get(user: "nobody", password: "secret").statusCode == 401)
        #expect(try await statuses(count: 2) == [401, 401])
    }

    @Test func withoutACredentialTheResultIsThe401() async throws {
        #expect(try await MoyaProvider<Call>().request(call).statusCode == 401)
        #expect(try await statuses(count: 1) == [401])
    }

    @Test func basicAuthenticationWorksOverHTTP2() async throws {
        let provider = MoyaProvider<Call>(session: .trusting(servers), plugins: [credential("ole", "secret")])
        let response = try await provider.request(.get(servers.nginxTLS, "/private/small.json", query: ["m": mark]))
        #expect(response.statusCode == 200)
        #expect(try await statuses(count: 2) == [401, 200])
    }

    @Test func anAuthenticatorRefreshesOnceForSixRefusedRequests() async throws {
        let authenticator = PasswordAuthenticator()
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: Password(word: "old"))
        let session = Session(startRequestsImmediately: false, interceptor: interceptor)
        let url = try #require(URL(string: "\(servers.nginx)/private/small.json?m=\(mark)"))
        let statuses = await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<6 { group.addTask { await session.request(url).validate().status() } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: 6))
        #expect(await authenticator.refreshes.count == 1)
    }

    private var call: Call { .get(servers.nginx, "/private/small.json", query: ["m": mark]) }

    private func get(user: String, password: String) async throws -> Response {
        try await MoyaProvider<Call>(plugins: [credential(user, password)]).request(call)
    }

    private func credential(_ user: String, _ password: String) -> CredentialsPlugin {
        CredentialsPlugin { _ in URLCredential(user: user, password: password, persistence: .none) }
    }

    /// The statuses of nginx's answers to this test's requests, in order.
    private func statuses(count: Int) async throws -> [Int] {
        try await servers.accessLog.entries(marked: mark, count: count).map(\.status)
    }
}

private struct Password: AuthenticationCredential {
    var word: String
    var requiresRefresh: Bool { false }
}

/// Knows the password that nginx wants, once it has to refresh another.
private final class PasswordAuthenticator: AsyncAuthenticator {
    let refreshes = Counter()

    func apply(_ credential: Password, to urlRequest: inout URLRequest) {
        urlRequest.headers.update(.authorization(username: "ole", password: credential.word))
    }

    func refresh(_ credential: Password, for session: Session) async throws -> Password {
        await refreshes.add()
        return Password(word: "secret")
    }

    func didRequest(
        _ urlRequest: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: any Error
    ) -> Bool {
        response.statusCode == 401
    }

    func isRequest(_ urlRequest: URLRequest, authenticatedWith credential: Password) -> Bool {
        urlRequest.headers["Authorization"]
            == HTTPHeader.authorization(username: "ole", password: credential.word).value
    }
}

private actor Counter {
    private(set) var count = 0
    func add() { count += 1 }
}

extension DataRequest {
    /// Starts the request and waits for the status of its response.
    fileprivate func status() async -> Int? {
        await withCheckedContinuation { continuation in
            response(queue: .global()) { continuation.resume(returning: $0.response?.statusCode) }
            resume()
        }
    }
}
