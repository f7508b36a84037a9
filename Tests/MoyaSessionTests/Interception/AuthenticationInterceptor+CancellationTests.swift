import Foundation
import MoyaTesting
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Requests that leave, and credentials that change, during a refresh.
@Suite(.timeLimit(.minutes(5))) struct AuthenticationInterceptorCancellationTests {
    private let server = TokenServer(accepting: "good")
    private let held = HeldRefresh()

    @Test(arguments: [true, false])
    func cancellingTheRequestThatBeganTheRefreshAffectsNoOther(isDue: Bool) async {
        let authenticator = held.authenticator()
        let credential = Token(value: "old", requiresRefresh: isDue)
        let session = server.session(AuthenticationInterceptor(authenticator: authenticator, credential: credential))
        let first = session.call().resume()
        await held.refreshes.reach(1)
        let second = session.call().resume()
        first.cancel()
        // A request that has failed and is cancelled before it is retried keeps its own error.
        let error = await session.outcome(of: first).error
        #expect(isDue ? error?.isExplicitlyCancelledError == true : error?.responseCode == 401)
        #expect(first.state == .cancelled)
        held.succeed("good")
        #expect(await session.outcome(of: second).error == nil)
        #expect(authenticator.refreshes.count == 1)
        #expect(first.error?._code == error?._code)
    }

    @Test func abandonedRefreshStillStoresItsCredential() async {
        let authenticator = held.authenticator()
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: Token(value: "old"))
        let session = server.session(interceptor)
        let request = session.call().resume()
        await held.refreshes.reach(1)
        request.cancel()
        held.succeed("good")
        #expect(interceptor.credential == Token(value: "good"))
        #expect(await session.outcome().error == nil)
        #expect(authenticator.refreshes.count == 1)
    }

    @Test func requestCancelledWhileWaitingIsReleased() async throws {
        let authenticator = held.authenticator()
        let session = server.session(
            AuthenticationInterceptor(authenticator: authenticator, credential: Token(value: "old")))
        weak var request: DataRequest?
        do {
            let waiting = session.call().resume()
            request = waiting
            await held.refreshes.reach(1)
            waiting.cancel()
        }
        // The caller may still be on the way back, and the work after a late answer is on the root queue.
        try await eventually { request == nil }
        held.succeed("good")
    }

    @Test func aRequestOutOfTimeStopsWaiting() async {
        let authenticator = held.authenticator()
        let interceptor = AuthenticationInterceptor(
            authenticator: authenticator, credential: Token(value: "old", requiresRefresh: true))
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForResource = 0.01
        let session = Session(
            configuration: configuration, startRequestsImmediately: false, interceptor: interceptor, transport: server)
        let error = await session.outcome().error
        #expect((error?.underlyingError as? URLError)?.code == .timedOut)
        #expect(server.log.isEmpty)
    }

    @Test(arguments: [true, false])
    func settingACredentialResumesWaiters(isDue: Bool) async {
        let authenticator = held.authenticator()
        let interceptor = AuthenticationInterceptor(
            authenticator: authenticator, credential: Token(value: "old", requiresRefresh: isDue))
        let session = server.session(interceptor)
        let request = session.call().resume()
        await held.refreshes.reach(1)
        interceptor.credential = Token(value: "good")
        #expect(await session.outcome(of: request).error == nil)
        held.succeed("late")
        #expect(interceptor.credential == Token(value: "good"))
    }

    @Test(arguments: [true, false])
    func removingTheCredentialFailsWaiters(isDue: Bool) async {
        let authenticator = held.authenticator()
        let interceptor = AuthenticationInterceptor(
            authenticator: authenticator, credential: Token(value: "old", requiresRefresh: isDue))
        let session = server.session(interceptor)
        let request = session.call().resume()
        await held.refreshes.reach(1)
        interceptor.credential = nil
        let outcome = await session.outcome(of: request)
        #expect((outcome.adaptationError ?? outcome.retryError) as? AuthenticationError == .missingCredential)
        // A client that has logged out stays logged out.
        held.succeed("good")
        #expect(interceptor.credential == nil)
    }

    @Test func theRefreshOfASetCredentialFollowsTheRunningOne() async {
        let authenticator = held.authenticator()
        let interceptor = AuthenticationInterceptor(
            authenticator: authenticator, credential: Token(value: "old", requiresRefresh: true))
        let session = server.session(interceptor)
        let request = session.call().resume()
        await held.refreshes.reach(1)
        interceptor.credential = Token(value: "older", requiresRefresh: true)
        #expect(authenticator.refreshes.count == 1)
        held.succeed("late")
        await held.refreshes.reach(2)
        held.succeed("good")
        #expect(await session.outcome(of: request).error == nil)
        #expect(server.log == ["good"])
    }
}
