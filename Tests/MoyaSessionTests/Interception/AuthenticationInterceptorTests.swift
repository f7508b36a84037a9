import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5))) struct AuthenticationInterceptorTests {
    private let server = TokenServer(accepting: "good")
    private let due = Token(value: "old", requiresRefresh: true)
    private let old = Token(value: "old")

    // MARK: Applying

    @Test func theCredentialIsApplied() async {
        let authenticator = TokenAuthenticator(refreshingTo: .failure(Refused()))
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: Token(value: "good"))
        let outcome = await server.session(interceptor).outcome()
        #expect(outcome.error == nil)
        #expect(server.log == ["good"])
    }

    @Test func withoutACredentialNothingIsSent() async {
        let interceptor = AuthenticationInterceptor(
            authenticator: TokenAuthenticator(refreshingTo: .failure(Refused())))
        let outcome = await server.session(interceptor).outcome()
        #expect(outcome.adaptationError as? AuthenticationError == .missingCredential)
        #expect(server.log.isEmpty)
    }

    @Test func aRemovedCredentialFailsTheRetry() async {
        let authenticator = TokenAuthenticator(refreshingTo: .failure(Refused()))
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: old)
        let clearing = Retrier { _, _, _, completion in
            interceptor.credential = nil
            completion(.doNotRetry)
        }
        let session = server.session(Interceptor(adapters: [interceptor], retriers: [clearing, interceptor]))
        let outcome = await session.outcome()
        #expect(outcome.retryError as? AuthenticationError == .missingCredential)
        #expect(authenticator.refreshes.count == 0)
    }

    /// Detects that a credential is applied within the answer of a refresh, which may hold a lock.
    private final class NestingAuthenticator: Authenticator {
        private static let key = "org.moya.tests.inside"
        let isNested = Lock(false)

        func apply(_ credential: Token, to urlRequest: inout URLRequest) {
            if Thread.current.threadDictionary[Self.key] != nil { isNested.set(true) }
            urlRequest.setValue(credential.value, forHTTPHeaderField: "Authorization")
        }

        func refresh(
            _ credential: Token, for session: Session,
            completion: @escaping @Sendable (Result<Token, any Error>) -> Void
        ) {
            Thread.current.threadDictionary[Self.key] = true
            completion(.success(Token(value: "good")))
            Thread.current.threadDictionary[Self.key] = nil
        }

        func didRequest(
            _ urlRequest: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: any Error
        ) -> Bool { false }

        func isRequest(_ urlRequest: URLRequest, authenticatedWith credential: Token) -> Bool { true }
    }

    @Test func theCredentialIsNotAppliedWithinTheAnswerOfItsRefresh() async {
        let authenticator = NestingAuthenticator()
        let session = server.session(AuthenticationInterceptor(authenticator: authenticator, credential: due))
        #expect(await session.outcome().error == nil)
        let isNested = authenticator.isNested.value
        #expect(!isNested)
    }

    #if os(Linux) || os(macOS)
    /// Calls a closure when it is released.
    private final class HeldCredential: AuthenticationCredential {
        let requiresRefresh = false
        private let atItsEnd: @Sendable () -> Void

        init(_ atItsEnd: @escaping @Sendable () -> Void) { self.atItsEnd = atItsEnd }

        deinit { atItsEnd() }
    }

    private final class HeldAuthenticator: Authenticator {
        func apply(_ credential: HeldCredential, to urlRequest: inout URLRequest) {}

        func refresh(
            _ credential: HeldCredential, for session: Session,
            completion: @escaping @Sendable (Result<HeldCredential, any Error>) -> Void
        ) {}

        func didRequest(
            _ urlRequest: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: any Error
        ) -> Bool { false }

        func isRequest(_ urlRequest: URLRequest, authenticatedWith credential: HeldCredential) -> Bool { true }
    }

    @Test func releasingAReplacedCredentialMayCallTheInterceptor() async {
        await #expect(processExitsWith: .success) {
            let interceptor = AuthenticationInterceptor(authenticator: HeldAuthenticator())
            interceptor.credential = HeldCredential { _ = interceptor.credential }
            interceptor.credential = nil
        }
    }
    #endif

    @Test func theFormWithoutARequestAppliesTheCredentialToo() async throws {
        let authenticator = TokenAuthenticator(refreshingTo: .success(Token(value: "good")))
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: due)
        let session = server.session(nil)
        let adapted = await withCheckedContinuation { continuation in
            interceptor.adapt(.to("http://a.example"), for: session) { continuation.resume(returning: $0) }
        }
        #expect(try adapted.get().value(forHTTPHeaderField: "Authorization") == "good")
    }

    // MARK: Refreshing before a request

    @Test(arguments: [1, 2, 6])
    func requestsShareTheRefreshOfACredentialThatIsDue(count: Int) async {
        let held = HeldRefresh()
        let authenticator = held.authenticator()
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: due)
        let session = server.session(interceptor)
        let requests = (0..<count).map { _ in session.call().resume() }
        await held.refreshes.reach(1)
        held.succeed("good")
        for request in requests {
            #expect(await session.outcome(of: request).error == nil)
            #expect(request.retryCount == 0)
        }
        #expect(authenticator.refreshes.count == 1)
        #expect(server.log == Array(repeating: "good", count: count))
    }

    @Test func aRefusedRefreshFailsAllRequestsThatWaitToBeSent() async {
        let held = HeldRefresh()
        let authenticator = held.authenticator()
        let session = server.session(AuthenticationInterceptor(authenticator: authenticator, credential: due))
        let requests = (0..<6).map { _ in session.call().resume() }
        await held.refreshes.reach(1)
        held.answer(.failure(Refused()))
        for request in requests { #expect(await session.outcome(of: request).adaptationError is Refused) }
        #expect(authenticator.refreshes.count == 1)
        #expect(server.log.isEmpty)
    }

    @Test func keepsTheWorkOfEarlierAdapters() async {
        let held = HeldRefresh()
        let authenticator = held.authenticator()
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: due)
        let naming = Adapter { urlRequest, _, completion in
            var named = urlRequest
            named.setValue("kept", forHTTPHeaderField: "X-Earlier")
            completion(.success(named))
        }
        let session = server.session(Interceptor(adapters: [naming, interceptor]))
        let request = session.call().resume()
        await held.refreshes.reach(1)
        held.succeed("good")
        let sent = await session.outcome(of: request).request
        #expect(sent?.value(forHTTPHeaderField: "X-Earlier") == "kept")
        #expect(sent?.value(forHTTPHeaderField: "Authorization") == "good")
    }

    // MARK: Refreshing after a refusal

    @Test func aRefusedCredentialIsRefreshedAndTheRequestSentAgain() async {
        let authenticator = TokenAuthenticator(refreshingTo: .success(Token(value: "good")))
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: old)
        let session = server.session(interceptor)
        let request = session.call()
        #expect(await session.outcome(of: request).error == nil)
        #expect(request.retryCount == 1)
        #expect(server.log == ["old", "good"])
        #expect(interceptor.credential == Token(value: "good"))
    }

    @Test func sixRefusedRequestsShareOneRefresh() async {
        let held = HeldRefresh()
        let authenticator = held.authenticator()
        let session = server.session(AuthenticationInterceptor(authenticator: authenticator, credential: old))
        let requests = (0..<6).map { _ in session.call().resume() }
        await held.refreshes.reach(1)
        held.succeed("good")
        for request in requests { #expect(await session.outcome(of: request).error == nil) }
        #expect(authenticator.refreshes.count == 1)
        #expect(authenticator.applications.count == 12)
    }

    @Test func aRefusedRefreshFailsAllRequestsThatWaitToBeRetried() async {
        let held = HeldRefresh()
        let authenticator = held.authenticator()
        let session = server.session(AuthenticationInterceptor(authenticator: authenticator, credential: old))
        let requests = (0..<6).map { _ in session.call().resume() }
        await held.refreshes.reach(1)
        held.answer(.failure(Refused()))
        for request in requests { #expect(await session.outcome(of: request).retryError is Refused) }
        #expect(server.log.count == 6)
    }

    @Test func aRefusalAfterAFailedRefreshGetsItsError() async {
        let held = HeldRefresh()
        let authenticator = held.authenticator()
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: old)
        // The late request was sent with the credential before its refresh failed, and is refused after that.
        let late = HeldRetry()
        let session = server.session(Interceptor(adapters: [interceptor], retriers: [late, interceptor]))
        let lateRequest = session.call("/late").resume()
        let request = session.call().resume()
        await held.refreshes.reach(1)
        held.answer(.failure(Refused()))
        #expect(await session.outcome(of: request).retryError is Refused)
        await late.goOn()
        #expect(await session.outcome(of: lateRequest).retryError is Refused)
        #expect(authenticator.refreshes.count == 1)
    }

    @Test func aLateRefusalOfAnOldCredentialStartsNothing() async {
        // Even for an authenticator that takes every request for one with the present credential.
        let authenticator = TokenAuthenticator(recognizes: true) { $2(.success(Token(value: "good"))) }
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: old)
        let late = HeldRetry()
        let session = server.session(Interceptor(adapters: [interceptor], retriers: [late, interceptor]))
        let lateRequest = session.call("/late").resume()
        #expect(await session.outcome().error == nil)
        await late.goOn()
        #expect(await session.outcome(of: lateRequest).error == nil)
        #expect(authenticator.refreshes.count == 1)
    }

    @Test func aRequestWithAnotherCredentialIsSentAgainWithThePresentOne() async {
        let authenticator = TokenAuthenticator(refreshingTo: .failure(Refused()))
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: Token(value: "good"))
        let spoilt = Lock(false)
        let spoiling = Adapter { urlRequest, _, completion in
            var changed = urlRequest
            if !spoilt.exchange(true) { changed.setValue("?", forHTTPHeaderField: "Authorization") }
            completion(.success(changed))
        }
        let session = server.session(Interceptor(adapters: [interceptor, spoiling], retriers: [interceptor]))
        #expect(await session.outcome().error == nil)
        #expect(authenticator.refreshes.count == 0)
        #expect(server.log == ["?", "good"])
    }

    @Test func aRequestThatNeverLooksAuthenticatedIsNotSentForever() async {
        let authenticator = TokenAuthenticator(recognizes: false) { $2(.failure(Refused())) }
        let session = server.session(AuthenticationInterceptor(authenticator: authenticator, credential: old))
        #expect(await session.outcome().error?.responseCode == 401)
        #expect(server.log == ["old", "old"])
    }

    @Test func anotherFailureIsNotRetried() async {
        let authenticator = TokenAuthenticator(refreshingTo: .success(Token(value: "good")))
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: old)
        let refusing = Session.over(StubbedTransport(.response(403)), interceptor: interceptor)
        #expect(await refusing.outcome().error?.responseCode == 403)
        let failing = Session.over(StubbedTransport(.failure(.reset)), interceptor: interceptor)
        #expect(await failing.outcome().error?.isSessionTaskError == true)
        #expect(authenticator.refreshes.count == 0)
    }

    @Test(arguments: [301, 302, 303]) func aRefusalBehindAPostThatHadItsEffectIsNotRetried(status: Int) async {
        let authenticator = TokenAuthenticator(refreshingTo: .success(Token(value: "good")))
        let transport = StubbedTransport(.response(status, [("Location", "/")]), .response(401))
        let session = Session.over(
            transport, interceptor: AuthenticationInterceptor(authenticator: authenticator, credential: old),
            redirectHandler: nil)
        let request = session.request(URLRequest.to("http://a.example/", method: "POST")).validate()
        #expect(await session.outcome(of: request).error?.responseCode == 401)
        #expect(transport.requests.map(\.method) == ["POST", "GET"])
        #expect(authenticator.refreshes.count == 0)
    }

    @Test func aRefusalOfARequestWithoutTheCredentialIsNotRetried() async {
        let authenticator = TokenAuthenticator(refreshingTo: .success(Token(value: "good")))
        let transport = StubbedTransport(.response(302, [("Location", "/next")]), .response(401))
        let stripping = Redirector(
            behavior: .modify { _, request, _ in
                var changed = request
                changed.setValue(nil, forHTTPHeaderField: "Authorization")
                return changed
            })
        let session = Session.over(
            transport, interceptor: AuthenticationInterceptor(authenticator: authenticator, credential: old),
            redirectHandler: stripping)
        #expect(await session.outcome().error?.responseCode == 401)
        #expect(transport.requests.count == 2)
        #expect(authenticator.refreshes.count == 0)
    }

    @Test(arguments: [["//b.example/"], ["//b.example/", "//a.example/"]])
    func aRefusalOfARequestThatHadLeftItsOriginIsNotRetried(locations: [String]) async {
        let authenticator = TokenAuthenticator(refreshingTo: .success(Token(value: "good")))
        let transport = StubbedTransport(locations.map { .response(302, [("Location", $0)]) } + [.response(401)])
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: old)
        let outcome = await Session.over(transport, interceptor: interceptor, redirectHandler: nil).outcome()
        #expect(outcome.error?.responseCode == 401)
        #expect(authenticator.refreshes.count == 0)
        #expect(transport.requests.count == locations.count + 1)
    }

    @Test func requestsAreSentDuringARefreshThatFollowsARefusal() async {
        let held = HeldRefresh()
        let authenticator = held.authenticator()
        let session = server.session(AuthenticationInterceptor(authenticator: authenticator, credential: old))
        let first = session.call().resume()
        await held.refreshes.reach(1)
        server.accept("old")
        #expect(await session.outcome().error == nil)
        held.succeed("good")
        #expect(await session.outcome(of: first).error == nil)
        #expect(server.log == ["old", "old", "good"])
    }

    @Test func aFailedRefreshDoesNotBlockLaterRequests() async {
        let held = HeldRefresh()
        let authenticator = held.authenticator()
        let session = server.session(AuthenticationInterceptor(authenticator: authenticator, credential: old))
        let first = session.call().resume()
        await held.refreshes.reach(1)
        held.answer(.failure(Refused()))
        #expect(await session.outcome(of: first).retryError is Refused)
        let second = session.call().resume()
        await held.refreshes.reach(2)
        held.succeed("good")
        #expect(await session.outcome(of: second).error == nil)
    }

    // MARK: Answers

    @Test func theFirstAnswerOfARefreshCounts() async {
        let authenticator = TokenAuthenticator {
            $2(.success(Token(value: "good")))
            $2(.failure(Refused()))
            $2(.success(Token(value: "other")))
        }
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: due)
        #expect(await server.session(interceptor).outcome().error == nil)
        #expect(interceptor.credential == Token(value: "good"))
    }

    @Test func refreshThatReleasesItsCompletionFails() async {
        let authenticator = TokenAuthenticator { _, _, _ in }
        let session = server.session(AuthenticationInterceptor(authenticator: authenticator, credential: due))
        #expect(await session.outcome().adaptationError is UnansweredRefreshError)
    }

    @Test func anInterceptorIsReleasedWithItsSession() async throws {
        weak var interceptor: AuthenticationInterceptor<TokenAuthenticator>?
        do {
            let authenticator = TokenAuthenticator(refreshingTo: .success(Token(value: "good")))
            let kept = AuthenticationInterceptor(authenticator: authenticator, credential: old)
            interceptor = kept
            let session = server.session(kept)
            #expect(await session.outcome().error == nil)
        }
        // Its queue may retain it until the refresh has returned.
        try await eventually { interceptor == nil }
    }

    @Test func anAdapterThatFailsAfterARefusalIsNotARefusal() async {
        let authenticator = TokenAuthenticator(refreshingTo: .success(Token(value: "good")))
        let attempts = Lock(0)
        let failing = Intercepting(adapt: { request, completion in
            completion(attempts.add(1) == 1 ? .success(request) : .failure(Refused()))
        })
        let session = server.session(
            Interceptor(interceptors: [
                AuthenticationInterceptor(authenticator: authenticator, credential: old), failing,
            ]))
        let outcome = await session.outcome()
        #expect(outcome.adaptationError is Refused)
        #expect(outcome.head?.status == 401)
        #expect(attempts.value == 2)
        #expect(authenticator.refusals.count == 1)
    }
}

/// Holds retriers that come after it back, for requests to `/late`.
final class HeldRetry: RequestInterceptor {
    private let held = Lock<(@Sendable (RetryResult) -> Void)?>(nil)
    private let arrivals = Arrivals()

    func retry(
        _ request: Request, for session: Session, dueTo error: any Error,
        completion: @escaping @Sendable (RetryResult) -> Void
    ) {
        guard request.request?.url?.path == "/late" else { return completion(.doNotRetry) }
        held.withLock { $0 = completion }
        arrivals.arrive()
    }

    /// Resumes the request, as soon as it is held.
    func goOn() async {
        await arrivals.reach(1)
        held.withLock { $0.take() }?(.doNotRetry)
    }
}
