import Foundation
import Moya
import MoyaTesting
import MoyaTransport
import Testing

/// Stores of an app that take long, or that make calls themselves.
@Suite(.timeLimit(.minutes(1))) struct TokenStoreCallsTests {
    /// Keeps tokens, and runs work of a test in the midst of its methods.
    private final class WorkingStore: OAuthTokenStore {
        typealias Work = @Sendable () async -> Void

        private let kept: InMemoryTokenStore
        /// Run once the tokens are read, before they are returned.
        let afterReading = Lock<Work?>(nil)
        /// Run before tokens are replaced.
        let beforeReplacing = Lock<Work?>(nil)

        init(_ tokens: OAuthTokens) { kept = InMemoryTokenStore(tokens) }

        func load() async -> OAuthTokens? {
            let tokens = await kept.load()
            await afterReading.withLock { $0.take() }?()
            return tokens
        }

        func save(_ tokens: OAuthTokens) async { await kept.save(tokens) }

        func clear() async { await kept.clear() }

        func replace(_ old: OAuthTokens, with new: OAuthTokens?) async -> OAuthTokens? {
            await beforeReplacing.value?()
            return await kept.replace(old, with: new)
        }

        /// The number of locks that are held.
        let locks = Lock(0)

        func refreshLock() async -> (any Sendable)? { Held(in: self) }

        private final class Held: Sendable {
            private let store: WorkingStore

            init(in store: WorkingStore) {
                self.store = store
                store.locks.withLock { $0 += 1 }
            }

            deinit { store.locks.withLock { $0 -= 1 } }
        }
    }

    private static func expired(_ number: Int) -> OAuthTokens {
        OAuthTokens(accessToken: "access\(number)", refreshToken: "refresh\(number)", expiry: .distantPast)
    }

    private let server = AuthorizationServer()
    private let store = WorkingStore(Self.expired(0))
    private let clock = TestClock()
    private let transport = StepwiseTransport.answering()

    private func provider(limit: Duration = .seconds(60)) -> MoyaProvider<API> {
        let refresh = SessionRefresh(tokens: store, refreshingAtMost: limit) { [server] in try await server.refresh($0)
        }
        return MoyaProvider(session: Session(transport: transport), middleware: [refresh], clock: clock)
    }

    @Test func lockOfAStoreIsHeldUntilItsTokensAreReplaced() async throws {
        let held = Recorder<Int>()
        store.beforeReplacing.withLock { [store] in $0 = { held.append(store.locks.value) } }
        _ = try await provider().request(API())
        #expect(held.values == [1] && store.locks.value == 0)
        store.beforeReplacing.set(nil)
    }

    @Test func callOfAStoreThatReplacesTokensNeedsNone() async throws {
        let provider = provider()
        let statuses = Recorder<Int?>()
        store.beforeReplacing.withLock {
            $0 = { statuses.append(try? await provider.request(API()).statusCode) }
        }
        _ = try await provider.request(API())
        #expect(statuses.values == [200])
        #expect(transport.requests.values.map(server.token) == [nil, "access1"])
    }

    @Test func tokensThatWereReadBeforeTwoRefreshesAreNotRefreshedAgain() async throws {
        let provider = provider()
        let reading = Gate()
        store.afterReading.withLock { $0 = { try? await reading.wait() } }
        async let slow = provider.request(API())
        try await reading.waitForArrivals(1)
        _ = try await provider.request(API())
        await store.save(Self.expired(1))
        _ = try await provider.request(API())
        reading.open()
        #expect(try await slow.statusCode == 200)
        #expect(server.refreshes == ["refresh0", "refresh1"])
    }

    @Test func storeThatNeverReplacesTokensIsGivenUp() async throws {
        let provider = provider(limit: .seconds(20))
        let held = Gate()
        store.beforeReplacing.withLock { $0 = { try? await held.wait() } }
        defer { held.open() }
        async let first = _Concurrency.Task { try await provider.request(API()) }.result
        try await held.waitForArrivals(1)
        // The limits of the call and of the refresh.
        try await clock.waitForSleepers(2)
        clock.advance(by: .seconds(100))
        #expect(Result<Response, MoyaError>.of(await first)?.error?.underlyingError is SessionRefreshError)
        store.beforeReplacing.set(nil)
        await store.save(Self.expired(7))
        #expect(try await provider.request(API()).statusCode == 200)
        #expect(server.refreshes == ["refresh0", "refresh7"])
    }

    @Test func cancellationEndsACallWhoseStoreIgnoresIt() async throws {
        let provider = provider()
        let (held, ended) = (Gate(), Promise<Result<Response, MoyaError>>())
        store.afterReading.withLock { work in
            work = { await _Concurrency.Task { try? await held.wait() }.value }
        }
        defer { held.open() }
        let call = provider.request(API(), callbackQueue: .global()) { ended.fulfill($0) }
        try await held.waitForArrivals(1)
        call.cancel()
        #expect(try await ended.value.isCancelled)
    }
}
