import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(3))) struct AuthenticationInterceptorManyRequestsTests {
    private let server = TokenServer(accepting: "good")
    private let held = HeldRefresh()

    @Test func aThousandRefusalsCauseOneRefresh() async {
        let authenticator = held.authenticator()
        let session = server.session(
            AuthenticationInterceptor(authenticator: authenticator, credential: Token(value: "old")))
        let outcomes = await thousandOutcomes(of: session) {
            await authenticator.refusals.reach(1000)
            await held.refreshes.reach(1)
            held.succeed("good")
        }
        #expect(outcomes.count { $0.error == nil } == 1000)
        #expect(authenticator.refreshes.count == 1)
        #expect(server.log.count { $0 == "old" } == 1000)
        #expect(server.log.count { $0 == "good" } == 1000)
    }

    @Test func aThousandRefusalsAndARefusedRefreshAreAThousandFailures() async {
        let authenticator = held.authenticator()
        let session = server.session(
            AuthenticationInterceptor(authenticator: authenticator, credential: Token(value: "old")))
        let outcomes = await thousandOutcomes(of: session) {
            await authenticator.refusals.reach(1000)
            await held.refreshes.reach(1)
            held.answer(.failure(Refused()))
        }
        #expect(outcomes.count { $0.retryError is Refused } == 1000)
        #expect(authenticator.refreshes.count == 1)
        #expect(server.log.count == 1000)
    }

    private func thousandOutcomes(of session: Session, _ then: () async -> Void) async -> [RequestOutcome] {
        await withTaskGroup(of: RequestOutcome.self) { group in
            for _ in 0..<1000 { group.addTask { await session.outcome() } }
            await then()
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test(arguments: 0..<10)
    func everyRequestEndsAndOneRefreshRunsAtATime(seed: Int) async {
        let running = Lock(0)
        let overlapped = Lock(false)
        let count = Lock(0)
        let server = server
        let authenticator = TokenAuthenticator { _, _, completion in
            if running.add(1) > 1 {
                overlapped.set(true)
            }
            let number = count.add(1)
            DispatchQueue.global().async {
                running.add(-1)
                if number % 3 == 0 { return completion(.failure(Refused())) }
                server.accept("token-\(number)")
                completion(.success(Token(value: "token-\(number)", requiresRefresh: number % 5 == 0)))
            }
        }
        let interceptor = AuthenticationInterceptor(
            authenticator: authenticator, credential: Token(value: "old"), refreshWindow: nil)
        let session = server.session(interceptor)
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<16 {
                group.addTask {
                    var numbers = SeededGenerator(seed: UInt64(seed * 100 + worker))
                    for _ in 0..<8 {
                        switch UInt.random(in: 0..<10, using: &numbers) {
                        case 0: interceptor.credential = Token(value: "old")
                        case 1: interceptor.credential = nil
                        case 2: interceptor.credential = Token(value: "old", requiresRefresh: true)
                        case 3: session.call().resume().cancel()
                        default: _ = await session.outcome()
                        }
                    }
                }
            }
        }
        let hasOverlapped = overlapped.value
        #expect(!hasOverlapped)
        session.withAllRequests { #expect($0.isEmpty) }
    }
}
