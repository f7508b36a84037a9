import Foundation
import Moya
import MoyaTesting
import MoyaTransport
import Testing

/// Stores that fail while a session is refreshed.
@Suite struct BrokenStoreTests {
    /// Keeps tokens, and fails where a test wants it to.
    private final class BrokenStore: OAuthTokenStore {
        struct Failed: Error {}

        struct State: Sendable {
            var tokens: OAuthTokens?
            var cannotLoad = false
            var cannotSave = false
            var cannotClear = false
            var cannotLoadOnceLocked = false
        }

        let state: Lock<State>

        init(_ state: State) { self.state = Lock(state) }

        func load() async throws -> OAuthTokens? {
            try state.withLock { state in
                if state.cannotLoad { throw Failed() }
                return state.tokens
            }
        }

        func save(_ tokens: OAuthTokens) async throws {
            try state.withLock { state in
                if state.cannotSave { throw Failed() }
                state.tokens = tokens
            }
        }

        func clear() async throws {
            try state.withLock { state in
                if state.cannotClear { throw Failed() }
                state.tokens = nil
            }
        }

        func refreshLock() async -> (any Sendable)? {
            state.withLock { state in
                guard state.cannotLoadOnceLocked else { return nil }
                state.cannotLoad = true
                return true
            }
        }
    }

    private let expired = OAuthTokens(accessToken: "old", refreshToken: "r", expiry: .distantPast)
    private let refreshes = Recorder<String>()
    private let logOuts = Recorder<Void>()

    private func provider(_ store: BrokenStore, isRefused: Bool = false) -> (MoyaProvider<API>, StepwiseTransport) {
        let (refreshes, logOuts) = (refreshes, logOuts)
        let refresh = SessionRefresh(
            tokens: store,
            refreshing: { refreshToken in
                refreshes.append(refreshToken)
                if isRefused { throw AuthorizationServer.refusal }
                return OAuthTokens(accessToken: "new", refreshToken: "r2", lifetime: 3_600)
            }, onLogOut: { logOuts.append(()) })
        let transport = StepwiseTransport.answering()
        return (MoyaProvider(session: Session(transport: transport), middleware: [refresh]), transport)
    }

    private func error(_ provider: MoyaProvider<API>) async -> SessionRefreshError? {
        do {
            _ = try await provider.request(API())
            return nil
        } catch {
            return error.underlyingError as? SessionRefreshError
        }
    }

    @Test func storeThatCannotBeReadFailsTheCall() async {
        let (provider, transport) = provider(BrokenStore(.init(tokens: expired, cannotLoad: true)))
        guard case .storeUnreadable(let cause)? = await error(provider) else {
            Issue.record("made without a token")
            return
        }
        #expect(cause is BrokenStore.Failed)
        #expect(transport.requests.count == 0)
    }

    @Test func refreshTokenIsNotSentIfTheStoreCannotBeReadUnderItsLock() async {
        let (provider, _) = provider(BrokenStore(.init(tokens: expired, cannotLoadOnceLocked: true)))
        guard case .storeUnreadable? = await error(provider) else {
            Issue.record("refreshed what may be refreshed already")
            return
        }
        #expect(refreshes.count == 0)
    }

    @Test func tokensThatCannotBeWrittenAreKeptAndWrittenLater() async throws {
        let store = BrokenStore(.init(tokens: expired, cannotSave: true))
        let (provider, transport) = provider(store)
        for _ in 0..<2 {
            guard case .storeUnwritable? = await error(provider) else {
                Issue.record("made with a token that is not stored")
                return
            }
        }
        store.state.withLock { $0.cannotSave = false }
        #expect(try await provider.request(API()).statusCode == 200)
        #expect(refreshes.values == ["r"])
        #expect(
            transport.requests.values.map { $0.fields.first { $0.name == "Authorization" }?.value } == ["Bearer new"])
        #expect(store.state.withLock { $0.tokens?.accessToken } == "new")
    }

    @Test func laterLoginIsNotOverwrittenByUnwrittenTokens() async throws {
        let store = BrokenStore(.init(tokens: expired, cannotSave: true))
        let (provider, _) = provider(store)
        _ = await error(provider)
        let login = OAuthTokens(accessToken: "login")
        store.state.withLock { $0 = .init(tokens: login) }
        #expect(try await provider.request(API()).statusCode == 200)
        #expect(store.state.withLock { $0.tokens } == login)
    }

    /// Of a server that keeps the refresh token.
    @Test func tokensThatAnotherProcessHasRefreshedAreNotOverwrittenByUnwrittenOnes() async throws {
        let store = BrokenStore(.init(tokens: expired, cannotSave: true))
        let (provider, _) = provider(store)
        _ = await error(provider)
        let newer = OAuthTokens(accessToken: "newer", refreshToken: "r", expiry: .distantFuture)
        store.state.withLock { $0 = .init(tokens: newer) }
        #expect(try await provider.request(API()).statusCode == 200)
        #expect(store.state.withLock { $0.tokens } == newer)
    }

    @Test func refusedTokensThatCannotBeRemovedAreNotUsedAgain() async throws {
        let store = BrokenStore(.init(tokens: expired, cannotClear: true))
        let (provider, transport) = provider(store, isRefused: true)
        guard case .refused? = await error(provider) else {
            Issue.record("not refused")
            return
        }
        #expect(try await provider.request(API()).statusCode == 200)
        #expect(transport.requests.values.map { $0.fields.contains { $0.name == "Authorization" } } == [false])
        #expect(refreshes.count == 1)
    }

    @Test(arguments: [
        SessionRefreshError.refused(nil), .tookTooLong(.seconds(1)), .emptyAccessToken, .loggedOut,
        .storeUnreadable(BrokenStore.Failed()), .storeUnwritable(BrokenStore.Failed()),
    ])
    func everyErrorIsDescribed(_ error: SessionRefreshError) {
        #expect((error.errorDescription ?? "").count > 40)
    }

    @Test func errorOfAStoreIsNamedByItsType() {
        let cause = BrokenStore.Failed()
        for error in [SessionRefreshError.storeUnreadable(cause), .storeUnwritable(cause)] {
            #expect(error.errorDescription?.hasSuffix(": Failed().") == true)
        }
    }
}
