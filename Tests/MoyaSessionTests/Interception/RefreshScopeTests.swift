import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Refreshes whose own request uses the session of the waiting requests.
@Suite(.timeLimit(.minutes(5))) struct RefreshScopeTests {
    private let server = TokenServer()
    private let due = Token(value: "old", requiresRefresh: true)

    /// Requests `/token`, with the session it is given.
    private static func refresh(
        _ token: Token, _ session: Session, _ completion: @escaping TokenAuthenticator.Completion
    ) {
        session.call("/token").resume().onFinish { outcome in
            completion(outcome.error.map { .failure($0) } ?? .success(Token(outcome)))
        }
    }

    private final class AsyncTokens: AsyncAuthenticator {
        func apply(_ credential: Token, to urlRequest: inout URLRequest) {
            urlRequest.setValue(credential.value, forHTTPHeaderField: "Authorization")
        }
        func refresh(_ credential: Token, for session: Session) async throws -> Token {
            await Task.yield()
            let outcome = await session.outcome(of: session.call("/token"))
            if let error = outcome.error { throw error }
            return Token(outcome)
        }
        func didRequest(
            _ urlRequest: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: any Error
        ) -> Bool { response.statusCode == 401 }
        func isRequest(_ urlRequest: URLRequest, authenticatedWith credential: Token) -> Bool {
            urlRequest.value(forHTTPHeaderField: "Authorization") == credential.value
        }
    }

    @Test(arguments: [true, false])
    func aRefreshThroughTheSameSessionDoesNotWaitForItself(isDue: Bool) async {
        let interceptor = AuthenticationInterceptor(
            authenticator: TokenAuthenticator(onRefresh: Self.refresh),
            credential: Token(value: "old", requiresRefresh: isDue))
        #expect(await server.session(interceptor).outcome().error == nil)
        #expect(server.log == (isDue ? ["/token", "new-1"] : ["old", "/token", "new-1"]))
    }

    @Test func requestOfASessionWithARequestQueueDoesNotWaitForItsRefresh() async {
        let interceptor = AuthenticationInterceptor(
            authenticator: TokenAuthenticator(onRefresh: Self.refresh), credential: due)
        let session = server.session(interceptor, requestQueue: DispatchQueue(label: "requests"))
        #expect(await session.outcome().error == nil)
    }

    @Test func asyncRequestDoesNotWaitForItsRefresh() async {
        let interceptor = AuthenticationInterceptor(authenticator: AsyncTokens(), credential: due)
        #expect(await server.session(interceptor).outcome().error == nil)
        #expect(server.log == ["/token", "new-1"])
    }

    @Test func requestMadeInATaskDoesNotWaitForItsRefresh() async {
        let authenticator = TokenAuthenticator { token, session, completion in
            Task { Self.refresh(token, session, completion) }
        }
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: due)
        #expect(await server.session(interceptor).outcome().error == nil)
    }

    @Test func aRefreshThatIsRefusedItselfFailsAtOnce() async {
        server.stopIssuing()
        let authenticator = TokenAuthenticator(onRefresh: Self.refresh)
        let session = server.session(
            AuthenticationInterceptor(authenticator: authenticator, credential: Token(value: "old")))
        let outcome = await session.outcome()
        #expect((outcome.retryError as? SessionError)?.responseCode == 401)
        #expect(authenticator.refreshes.count == 1)
        #expect(server.log == ["old", "/token"])
    }

    @Test func otherRequestsStillWaitMeanwhile() async {
        let held = HeldRefresh()
        let interceptor = AuthenticationInterceptor(authenticator: held.authenticator(), credential: due)
        let session = server.session(interceptor)
        let requests = (0..<3).map { _ in session.call().resume() }
        await held.refreshes.reach(1)
        #expect(server.log.isEmpty)
        server.accept("good")
        held.succeed("good")
        for request in requests { #expect(await session.outcome(of: request).error == nil) }
    }

    @Test func requestAfterTheAnswerIsOrdinary() async {
        server.accept("good")
        let later = Lock<DataRequest?>(nil)
        let isMade = Arrivals()
        let authenticator = TokenAuthenticator { _, session, completion in
            completion(.success(Token(value: "good")))
            later.withLock { $0 = session.call("/later") }
            isMade.arrive()
        }
        let session = server.session(AuthenticationInterceptor(authenticator: authenticator, credential: due))
        #expect(await session.outcome().error == nil)
        await isMade.reach(1)
        guard let request = later.withLock({ $0 }) else { return }
        #expect(await session.outcome(of: request).error == nil)
        #expect(server.log == ["good", "good"])
    }

    @Test func workStartedByTheAnswerIsNotPartOfTheRefresh() async {
        server.accept("good")
        let authenticator = TokenAuthenticator(refreshingTo: .success(Token(value: "good")))
        let session = server.session(AuthenticationInterceptor(authenticator: authenticator, credential: due))
        let scopes = Lock<[Bool]>([])
        await withCheckedContinuation { continuation in
            session.call().resume().onFinish { _ in
                scopes.withLock { $0.append(RefreshScope.current != nil) }
                continuation.resume()
            }
        }
        #expect(scopes.withLock { $0 } == [false])
    }

    @Test func aRefreshWithinAnothersRefreshWaitsForNeither() async {
        // Each interceptor refreshes with a request of the session that the other one authenticates.
        let sessions = Lock<[Session]>([])
        let one = AuthenticationInterceptor(
            authenticator: TokenAuthenticator { token, _, completion in
                Self.refresh(token, sessions.withLock { $0[1] }, completion)
            }, credential: due)
        let other = AuthenticationInterceptor(
            authenticator: TokenAuthenticator { token, _, completion in
                Self.refresh(token, sessions.withLock { $0[0] }, completion)
            }, credential: due)
        sessions.withLock { $0 = [server.session(one), server.session(other)] }
        let session = sessions.withLock { $0[0] }
        #expect(await session.outcome().error == nil)
        // The inner refresh first, without a credential; then the outer one, with that of the inner.
        #expect(server.log == ["/token", "new-1/token", "new-2"])
    }

    // MARK: Redirects

    /// A request that a session makes in its refresh, and the requests that it sends.
    private func refreshing(
        over transport: StubbedTransport, redirectHandler: (any RedirectHandler)? = nil
    ) async -> RequestOutcome {
        let authenticator = TokenAuthenticator { _, session, completion in
            session.request(URLRequest.to("http://a.example/token")).resume().onFinish { outcome in
                let status = outcome.head?.status ?? 0
                completion(status == 200 ? .success(Token(outcome)) : .failure(Refused()))
            }
        }
        let session = Session.over(
            transport, interceptor: AuthenticationInterceptor(authenticator: authenticator, credential: due),
            redirectHandler: redirectHandler)
        return await session.request(URLRequest.to("http://a.example/")).outcome()
    }

    @Test(
        arguments: [302, 307, 308], ["https://a.example/token", "http://a.example:81/token", "//evil.example/token"])
    func aRefreshStaysAtItsOrigin(status: Int, location: String) async {
        for handler in [nil, Redirector.follow] {
            let transport = StubbedTransport(
                .response(status, [("Location", location)]), .response(200, [], "evil"))
            #expect(await refreshing(over: transport, redirectHandler: handler).adaptationError is Refused)
            #expect(transport.requests.map(\.url) == ["http://a.example/token"])
        }
    }

    @Test func aRefreshFollowsARedirectWithinItsOrigin() async {
        let transport = StubbedTransport(.response(307, [("Location", "/v2/token")]), .response(200, [], "new"))
        #expect(await refreshing(over: transport).error == nil)
        #expect(
            transport.requests.map(\.url)
                == ["http://a.example/token", "http://a.example/v2/token", "http://a.example/"])
    }

    @Test func requestsBesidesARefreshFollowRedirects() async {
        let transport = StubbedTransport(.response(307, [("Location", "//b.example/")]), .response(200))
        let interceptor = AuthenticationInterceptor(
            authenticator: TokenAuthenticator(refreshingTo: .success(Token(value: "new"))), credential: due)
        let session = Session.over(transport, interceptor: interceptor, redirectHandler: nil)
        #expect(await session.request(URLRequest.to("http://a.example/")).outcome().head?.status == 200)
        #expect(transport.requests.count == 2)
    }

    @Test func aScopeIsThatOfItsInterceptorUntilItEnds() {
        let (one, other) = (RefreshLimitOwner(), RefreshLimitOwner())
        let outer = RefreshScope(owner: ObjectIdentifier(one), within: nil)
        let inner = RefreshScope(owner: ObjectIdentifier(other), within: outer)
        #expect(inner.isRefresh(of: ObjectIdentifier(one)) && inner.isRefresh(of: ObjectIdentifier(other)))
        #expect(!outer.isRefresh(of: ObjectIdentifier(other)))
        outer.end()
        #expect(!inner.isRefresh(of: ObjectIdentifier(one)) && inner.isRefresh(of: ObjectIdentifier(other)))
        #expect(inner.isRefreshing && !outer.isRefreshing)
    }

    private final class RefreshLimitOwner {}
}

extension Token {
    /// The token that `/token` gave.
    fileprivate init(_ outcome: RequestOutcome) {
        self.init(value: String(decoding: outcome.data ?? Data(), as: UTF8.self))
    }
}
