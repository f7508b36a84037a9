import Foundation
import Moya
import MoyaSession
import MoyaTesting
import Testing

/// Calls without a network, with stored responses.
@Suite struct WaitForConnectivityCacheTests {
    private typealias Online = AsyncThrowingStream<Bool, any Error>

    private let clock = TestClock()
    private let online: Online
    private let tell: Online.Continuation

    /// Answers with responses that are stale at once.
    private let transport = StepwiseTransport { _, exchange in
        exchange.head(200, ["Cache-Control": "max-age=0"])
        exchange.chunk(Data("answer".utf8))
        exchange.end()
    }

    init() { (online, tell) = Online.makeStream() }

    /// A provider behind a gate, with a cached response to a call.
    private func provider(
        isStored: Bool = true, staleIfError: Duration? = .seconds(3600), limit: Duration? = .seconds(60),
        plugins: [any PluginType] = []
    ) async throws -> MoyaProvider<API> {
        let session = Session(cache: .memory(staleIfError: staleIfError), transport: transport)
        if isStored { _ = try await MoyaProvider<API>(session: session).request(API()) }
        return MoyaProvider(
            session: session, middleware: [WaitForConnectivity(online: online, waitingAtMost: limit)], plugins: plugins,
            clock: clock)
    }

    @Test func aStaleResponseAnswersWithoutANetwork() async throws {
        let provider = try await provider()
        tell.yield(false)
        for _ in 0..<2 {
            let response = try await provider.request(API())
            #expect(response.cacheStatus?.outcome == .stale)
            #expect(response.cacheStatus?.detail == "offline")
        }
        #expect(transport.requests.count == 1)
    }

    @Test func aCallBeforeTheFirstElementIsAnsweredToo() async throws {
        let provider = try await provider()
        async let response = provider.request(API())
        try await clock.waitForSleepers(1)
        tell.yield(false)
        #expect(try await response.cacheStatus?.detail == "offline")
        #expect(transport.requests.count == 1)
    }

    @Test(.timeLimit(.minutes(1)))
    func aCheckIsAnsweredOrEndsAtOnce() async throws {
        let provider = try await provider(limit: .zero)
        tell.yield(false)
        #expect(try await provider.request(API()).cacheStatus?.detail == "offline")
        await #expect(throws: MoyaError.self) {
            _ = try await provider.request(API(method: .post))
        }
        #expect(transport.requests.count == 1)
    }

    @Test func aCallIsMadeWhereAnErrorMayNotBeReplaced() async throws {
        let failures = FailureWatch()
        let provider = try await provider(staleIfError: nil, plugins: [failures])
        tell.yield(false)
        async let response = provider.request(API())
        try await failures.first.value
        #expect(transport.requests.count == 1)
        tell.yield(true)
        #expect(try await response.cacheStatus?.outcome == .miss)
        #expect(transport.requests.count == 2)
    }

    @Test func pluginsDoNotSeeACallThatWaitsForANetworkWithoutAStoredResponse() async throws {
        let failures = FailureWatch()
        let provider = try await provider(isStored: false, plugins: [failures])
        tell.yield(false)
        async let response = provider.request(API())
        try await clock.waitForSleepers(1)
        tell.yield(true)
        #expect(try await response.statusCode == 200)
        #expect(failures.count == 0)
    }

    @Test func anUnsafeCallWaits() async throws {
        let provider = try await provider()
        tell.yield(false)
        async let response = provider.request(API(method: .post))
        try await clock.waitForSleepers(1)
        #expect(transport.requests.count == 1)
        tell.yield(true)
        #expect(try await response.statusCode == 200)
    }
}

/// Hears of attempts that failed.
private final class FailureWatch: PluginType {
    let first = Promise<Void>()
    private let failures = Recorder<Void>()

    var count: Int { failures.count }

    func didReceive(_ result: Result<Response, MoyaError>, target: any TargetType) {
        guard case .failure = result else { return }
        failures.append(())
        first.fulfill(())
    }
}
