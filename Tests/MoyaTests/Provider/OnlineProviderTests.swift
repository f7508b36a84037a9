import Foundation
import Moya
import MoyaTesting
import Testing

@Suite struct OnlineProviderTests {
    @Test func initializerTakesAllParametersOfMoyaProvider() async throws {
        let (online, tell) = AsyncStream.makeStream(of: Bool.self)
        let plugin = RecordingPlugin()
        let session = Session(transport: StepwiseTransport.answering())
        let provider = OnlineProvider<API>(
            endpointClosure: { MoyaProvider.defaultEndpointMapping(for: $0).adding(newHTTPHeaderFields: ["X": "y"]) },
            requestClosure: { endpoint, done in MoyaProvider<API>.defaultRequestMapping(for: endpoint, closure: done) },
            stubClosure: MoyaProvider.neverStub, callbackQueue: .global(), session: session, plugins: [plugin],
            trackInflights: true, online: online)
        tell.yield(true)
        let response = try await provider.request(API())
        #expect(response.request?.value(forHTTPHeaderField: "X") == "y")
        #expect(provider.session === session)
        #expect(plugin.events.count == 4)
    }

    @Test func callWithACompletionWaitsUntilOnline() async throws {
        let (online, tell) = AsyncStream.makeStream(of: Bool.self)
        let provider = OnlineProvider<API>(stubClosure: MoyaProvider.immediatelyStub, online: online)
        let end = Promise<Int?>()
        let call = provider.request(API(), callbackQueue: .global()) { end.fulfill($0.response?.statusCode) }
        tell.yield(true)
        #expect(try await end.value == 200)
        #expect(!call.isCancelled)
    }

    @Test func middlewareOfTheProviderComesAfterTheWait() async throws {
        let clock = TestClock()
        let events = Recorder<String>()
        let (online, tell) = AsyncStream.makeStream(of: Bool.self)
        let provider = OnlineProvider<API>(
            stubClosure: MoyaProvider.immediatelyStub,
            middleware: [ClosureMiddleware.recording("middleware", in: events)],
            clock: clock, online: online, waitingAtMost: .seconds(9))
        async let response = provider.request(API())
        try await clock.waitForSleepers(1)
        #expect(events.values.isEmpty)
        tell.yield(true)
        _ = try await response
        #expect(events.values == ["middleware in", "middleware out"])
    }
}
