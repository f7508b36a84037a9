import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The limit of refreshes of a credential.
@Suite(.timeLimit(.minutes(5))) struct AuthenticationInterceptorWindowTests {
    private typealias Window = AuthenticationInterceptor<TokenAuthenticator>.RefreshWindow

    private let server = TokenServer()
    private let now = Watch()
    /// Its new credentials are refused too, so one request causes refreshes until something stops it.
    private let authenticator = TokenAuthenticator(refreshingTo: .success(Token(value: "bad")))

    private final class Watch: Sendable {
        private let seconds = Lock(0.0)
        var time: TimeInterval {
            get { seconds.withLock { $0 } }
            set { seconds.withLock { $0 = newValue } }
        }
    }

    private func interceptor(_ window: Window?, isDue: Bool = false) -> AuthenticationInterceptor<TokenAuthenticator> {
        AuthenticationInterceptor(
            authenticator: authenticator, credential: Token(value: "old", requiresRefresh: isDue),
            refreshWindow: window, clock: { [now] in now.time })
    }

    @Test(arguments: [0, 1, 2, 5])
    func theRequestFailsAfterTheMaximumOfRefreshes(attempts: Int) async {
        let session = server.session(interceptor(Window(interval: 30, maximumAttempts: attempts)))
        let outcome = await session.outcome()
        #expect(outcome.retryError as? AuthenticationError == .excessiveRefresh)
        #expect(authenticator.refreshes.count == attempts)
    }

    @Test func fiveAreAllowedByDefault() async {
        let session = server.session(
            AuthenticationInterceptor(authenticator: authenticator, credential: Token(value: "old")))
        #expect(await session.outcome().retryError as? AuthenticationError == .excessiveRefresh)
        #expect(authenticator.refreshes.count == 5)
    }

    @Test func aCredentialThatIsDueCannotBeRefreshedTooOftenEither() async {
        let session = server.session(interceptor(Window(maximumAttempts: 0), isDue: true))
        #expect(await session.outcome().adaptationError as? AuthenticationError == .excessiveRefresh)
        #expect(server.log.isEmpty)
    }

    @Test func credentialThatIsDueAgainIsRefreshedUntilThatIsExcessive() async {
        let due = TokenAuthenticator(refreshingTo: .success(Token(value: "due", requiresRefresh: true)))
        let session = server.session(
            AuthenticationInterceptor(
                authenticator: due, credential: Token(value: "old", requiresRefresh: true),
                refreshWindow: Window(interval: 30, maximumAttempts: 3), clock: { 0 }))
        #expect(await session.outcome().adaptationError as? AuthenticationError == .excessiveRefresh)
        #expect(due.refreshes.count == 3)
        #expect(server.log.isEmpty)
    }

    @Test func windowThatForgetsRefreshesDoesNotRefreshForever() async {
        let due = TokenAuthenticator(refreshingTo: .success(Token(value: "due", requiresRefresh: true)))
        let session = server.session(
            AuthenticationInterceptor(
                authenticator: due, credential: Token(value: "old", requiresRefresh: true),
                refreshWindow: Window(interval: -1, maximumAttempts: 3), clock: { 0 }))
        #expect(await session.outcome().adaptationError as? AuthenticationError == .excessiveRefresh)
        #expect(due.refreshes.count == 4)
    }

    @Test func refreshesThatTakeLongerThanTheWindowEndToo() async {
        let slow = TokenAuthenticator { [now] _, _, completion in
            now.time += 100
            completion(.success(Token(value: "bad")))
        }
        let session = server.session(
            AuthenticationInterceptor(
                authenticator: slow, credential: Token(value: "old"),
                refreshWindow: Window(interval: 30, maximumAttempts: 3), clock: { [now] in now.time }))
        #expect(await session.outcome().retryError as? AuthenticationError == .excessiveRefresh)
        #expect(slow.refreshes.count == 4)
    }

    @Test func credentialThatIsDueAgainIsUsedWhereRefreshesHaveNoLimit() async {
        let due = TokenAuthenticator(refreshingTo: .success(Token(value: "due", requiresRefresh: true)))
        server.accept("due")
        let session = server.session(
            AuthenticationInterceptor(
                authenticator: due, credential: Token(value: "old", requiresRefresh: true), refreshWindow: nil))
        #expect(await session.outcome().error == nil)
        #expect(due.refreshes.count == 1)
    }

    @Test func withoutAWindowThereIsNoLimit() async {
        let limit = Lock(0)
        let endless = TokenAuthenticator { _, _, completion in
            let isLast = limit.add(1) == 50
            completion(.success(Token(value: isLast ? "good" : "bad")))
        }
        server.accept("good")
        let session = server.session(
            AuthenticationInterceptor(
                authenticator: endless, credential: Token(value: "old"), refreshWindow: nil))
        #expect(await session.outcome().error == nil)
        #expect(endless.refreshes.count == 50)
    }

    @Test func refreshesCountForAsLongAsTheInterval() async {
        let interceptor = interceptor(Window(interval: 30, maximumAttempts: 2))
        let session = server.session(interceptor)
        _ = await session.outcome()
        #expect(authenticator.refreshes.count == 2)
        now.time = 30
        _ = await session.outcome()
        #expect(authenticator.refreshes.count == 2)
        now.time = 30.001
        _ = await session.outcome()
        #expect(authenticator.refreshes.count == 4)
    }

    @Test func aCredentialThatIsSetDoesNotMakeUpForPastRefreshes() async {
        let interceptor = interceptor(Window(interval: 30, maximumAttempts: 2))
        let session = server.session(interceptor)
        _ = await session.outcome()
        interceptor.credential = Token(value: "another")
        #expect(await session.outcome().retryError as? AuthenticationError == .excessiveRefresh)
        #expect(authenticator.refreshes.count == 2)
    }

    @Test func waitingRequestsFailAfterTooManyRefreshes() async {
        let session = server.session(interceptor(Window(interval: 30, maximumAttempts: 1)))
        await withTaskGroup(of: RequestOutcome.self) { group in
            for _ in 0..<20 { group.addTask { await session.outcome() } }
            for await outcome in group { #expect(outcome.retryError as? AuthenticationError == .excessiveRefresh) }
        }
        #expect(authenticator.refreshes.count == 1)
    }
}
