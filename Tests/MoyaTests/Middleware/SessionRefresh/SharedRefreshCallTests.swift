import Foundation
import Moya
import MoyaTesting
import MoyaTransport
import Testing

/// Refreshes whose call equals one that waits for them, with a provider that shares equal calls.
@Suite(.timeLimit(.minutes(1))) struct SharedRefreshCallTests {
    @Test func theRefreshHasNotThePriorityOfTheCallThatBeganIt() async throws {
        let seen = Promise<TaskPriority>()
        let refresh = SessionRefresh(
            tokens: InMemoryTokenStore(OAuthTokens(accessToken: "old", refreshToken: "r", expiry: .distantPast))
        ) { _ in
            seen.fulfill(_Concurrency.Task.currentPriority)
            return OAuthTokens(accessToken: "new", refreshToken: "r2", lifetime: 3_600)
        }
        let provider = MoyaProvider<API>(
            session: Session(transport: StepwiseTransport.answering()), middleware: [refresh])
        let call = _Concurrency.Task(priority: .background) { try await provider.request(API()) }
        #expect(try await seen.value >= .medium)
        _ = try await call.value
    }

    @Test func callOfARefreshJoinsNoCallThatWaitsForIt() async throws {
        let transport = StepwiseTransport.answering()
        let made = Lock<MoyaProvider<API>?>(nil)
        let refresh = SessionRefresh(
            tokens: InMemoryTokenStore(OAuthTokens(accessToken: "old", refreshToken: "r", expiry: .distantPast))
        ) { _ in
            let provider = try #require(made.withLock { $0 })
            let response = try await provider.request(API())
            return OAuthTokens(accessToken: "new \(response.statusCode)", refreshToken: "r2", lifetime: 3_600)
        }
        let provider = MoyaProvider<API>(
            session: Session(transport: transport), middleware: [refresh], trackInflights: true)
        made.withLock { $0 = provider }
        defer { made.withLock { $0 = nil } }

        #expect(try await provider.request(API()).statusCode == 200)
        let tokens = transport.requests.values.map { request in
            request.fields.first { $0.name == "Authorization" }?.value
        }
        #expect(tokens == [nil, "Bearer new 200"])
    }
}
