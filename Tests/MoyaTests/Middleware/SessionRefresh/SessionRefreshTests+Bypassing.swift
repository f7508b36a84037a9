import Foundation
import Moya
import MoyaTesting
import MoyaTransport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Calls that the middleware leaves alone, and tokens that others place.
extension SessionRefreshTests {
    @Test func refreshThroughTheSameProviderBypassesTheMiddleware() async throws {
        let box = Recorder<MoyaProvider<API>>()
        let store = InMemoryTokenStore(expired)
        let clock = clock
        let transport = StepwiseTransport.answering(200, #"{"access_token":"new"}"#)
        let refresh = SessionRefresh(tokens: store, now: { clock.date }) { _ in
            try await box.values[0].request(API(path: "/refresh"), as: OAuthTokens.self)
        }
        box.append(MoyaProvider(session: Session(transport: transport), middleware: [refresh], trackInflights: true))
        _ = try await box.values[0].request(API())
        #expect(transport.requests.values.map(\.url).map { $0.hasSuffix("/refresh") } == [true, false])
        #expect(transport.requests.values[0].fields.contains { $0.name == "Authorization" } == false)
        box.removeAll()
    }

    @Test func callOfATaskThatTheRefreshStartedHasATokenOnceTheRefreshIsOver() async throws {
        let box = Recorder<MoyaProvider<API>>()
        let store = InMemoryTokenStore(expired)
        let clock = clock
        let transport = StepwiseTransport.answering()
        let (isRefreshed, done) = (Promise<Void>(), Promise<Void>())
        let tokens = valid("new")
        let refresh = SessionRefresh(tokens: store, now: { clock.date }) { _ in
            _Concurrency.Task {
                try await isRefreshed.value
                _ = try? await box.values[0].request(API())
                done.fulfill(())
            }
            return tokens
        }
        box.append(MoyaProvider(session: Session(transport: transport), middleware: [refresh]))
        _ = try await box.values[0].request(API())
        isRefreshed.fulfill(())
        try await done.value
        #expect(
            transport.requests.values.map { $0.fields.first { $0.name == "Authorization" }?.value }
                == ["Bearer new", "Bearer new"])
        box.removeAll()
    }

    @Test func callWithinTheLogOutIsOrdinary() async throws {
        let box = Recorder<MoyaProvider<API>>()
        let store = InMemoryTokenStore(expired)
        let clock = clock
        let tokens = valid("again")
        let transport = StepwiseTransport.answering()
        let done = Promise<Void>()
        let refresh = SessionRefresh(
            tokens: store, now: { clock.date }, refreshing: { _ in throw AuthorizationServer.refusal },
            onLogOut: {
                await store.save(tokens)
                _ = try? await box.values[0].request(API())
                done.fulfill(())
            })
        box.append(MoyaProvider(session: Session(transport: transport), middleware: [refresh]))
        _ = try? await box.values[0].request(API())
        try await done.value
        #expect(
            transport.requests.values.map { $0.fields.first { $0.name == "Authorization" }?.value } == ["Bearer again"])
        box.removeAll()
    }

    @Test func targetWithoutAnAuthorizationTypeHasNoToken() async throws {
        let transport = StepwiseTransport.answering()
        let refresh = SessionRefresh(tokens: InMemoryTokenStore(valid())) { _ in throw AuthorizationServer.refusal }
        let provider = MoyaProvider<AuthorizedAPI>(session: Session(transport: transport), middleware: [refresh])
        _ = try await provider.request(AuthorizedAPI(authorizationType: nil))
        _ = try await provider.request(AuthorizedAPI(authorizationType: .custom("Token")))
        #expect(
            transport.requests.values.map { $0.fields.first { $0.name == "Authorization" }?.value }
                == [nil, "Token access0"])
    }

    @Test func pluginOfTheProviderPutsTheTokenOfItsTargets() async throws {
        let transport = StepwiseTransport.answering()
        let refresh = SessionRefresh(tokens: InMemoryTokenStore(valid())) { _ in throw AuthorizationServer.refusal }
        let provider = MoyaProvider<AuthorizedAPI>(
            session: Session(transport: transport), middleware: [refresh],
            plugins: [AccessTokenPlugin { _ in "plugin" }])
        _ = try await provider.request(AuthorizedAPI(authorizationType: .bearer))
        #expect(
            transport.requests.values[0].fields.filter { $0.name == "Authorization" }.map(\.value) == ["Bearer plugin"])
    }

    @Test(arguments: [("Basic YTpi", "Basic YTpi"), ("Bearer stale", "Bearer access0")])
    func authorizationOfAnotherSchemeIsKept(_ own: String, _ sent: String) async throws {
        let transport = StepwiseTransport.answering()
        let refresh = SessionRefresh(tokens: InMemoryTokenStore(valid())) { _ in throw AuthorizationServer.refusal }
        let provider = MoyaProvider<API>(session: Session(transport: transport), middleware: [refresh])
        _ = try await provider.request(API(headers: ["Authorization": own]))
        #expect(transport.requests.values[0].fields.filter { $0.name == "Authorization" }.map(\.value) == [sent])
    }

    @Test func tokenIsPlacedAsConfigured() async throws {
        let transport = StepwiseTransport.answering()
        for location in [.field("X-Access-Token"), .custom { $1.setValue($0, forHTTPHeaderField: "X-Other") }, .none]
            as [TokenLocation]
        {
            let refresh = SessionRefresh(tokens: InMemoryTokenStore(valid()), location: location) { _ in
                throw AuthorizationServer.refusal
            }
            let provider = MoyaProvider<API>(session: Session(transport: transport), middleware: [refresh])
            _ = try await provider.request(API())
        }
        #expect(
            transport.requests.values.map { $0.fields.filter { $0.value == "access0" }.map(\.name) }
                == [["X-Access-Token"], ["X-Other"], []])
    }
}
