import Foundation
import Moya
import Testing

/// Moya's guides say that a released provider ends its calls; its code does not.
@Suite struct ActiveCallsTests {
    private func end(_ stub: StubBehavior, tracksInflights: Bool, calls: Int = 1) async -> [Result<Response, MoyaError>]
    {
        let (transport, exchanges) = StepwiseTransport.waiting()
        let promise = Promise<Result<Response, MoyaError>>()
        var provider: MoyaProvider<GitHub>? = MoyaProvider(
            stubClosure: { _ in stub }, session: Session(transport: transport), trackInflights: tracksInflights)
        for _ in 0..<calls { provider?.request(.zen) { promise.fulfill($0) } }
        if stub == .never { for await _ in exchanges.prefix(1) {} }
        provider = nil
        var results: [Result<Response, MoyaError>] = []
        for _ in 0..<calls { results.append(await promise.value) }
        return results
    }

    @Test(arguments: [StubBehavior.never, .delayed(seconds: 3_600)], [false, true])
    func releasedProviderEndsItsCallsAsCancelled(_ stub: StubBehavior, _ tracksInflights: Bool) async {
        #expect(await end(stub, tracksInflights: tracksInflights).map(\.isCancelled) == [true])
    }

    /// As in Moya 15, the property tells of the caller's own cancellation.
    @Test(.timeLimit(.minutes(1)), arguments: [false, true])
    func callOfAReleasedProviderIsNotCancelledByItsCaller(_ tracksInflights: Bool) async {
        let promise = Promise<Result<Response, MoyaError>>()
        var provider: MoyaProvider<GitHub>? = MoyaProvider(
            stubClosure: MoyaProvider.delayedStub(3_600), trackInflights: tracksInflights)
        let token = provider?.request(.zen) { promise.fulfill($0) }
        provider = nil
        #expect(await promise.value.isCancelled)
        #expect(token?.isCancelled == false)
    }

    @Test func releasedProviderEndsEveryCallerOfASharedCall() async {
        #expect(await end(.never, tracksInflights: true, calls: 3).map(\.isCancelled) == [true, true, true])
    }

    @Test func releasedProviderEndsACallWhoseRequestComesLater() async {
        let held = HeldRequest()
        let promise = Promise<Result<Response, MoyaError>>()
        var provider: MoyaProvider<GitHub>? = MoyaProvider(requestClosure: { held.closure($0, $1) })
        provider?.request(.zen) { promise.fulfill($0) }
        provider = nil
        await held.answer()
        #expect(await promise.value.isCancelled)
    }

    @Test func pluginsReceiveTheEnd() async {
        let events = Recorder<String>()
        let promise = Promise<Void>()
        var provider: MoyaProvider<GitHub>? = MoyaProvider(
            stubClosure: MoyaProvider.delayedStub(3_600), plugins: [RecordingPlugin(events: events)])
        provider?.request(.zen) { _ in promise.fulfill(()) }
        provider = nil
        await promise.value
        #expect(events.values == ["prepare", "willSend", "didReceive", "process"])
    }

    @Test(arguments: [false, true]) func callWhoseRequestNeverComesIsReleasedWithItsProvider(_ tracksInflights: Bool) {
        final class Held: Sendable {}
        weak var left: Held?
        do {
            let held = Held()
            left = held
            let provider = MoyaProvider<GitHub>(requestClosure: { _, _ in }, trackInflights: tracksInflights)
            provider.request(.zen) { _ in withExtendedLifetime(held) {} }
        }
        #expect(left == nil)
    }

    @Test func anEndedCallReleasesThePartsOfItsStub() {
        final class Held: Sendable {}
        weak var left: Held?
        let token: any Cancellable
        do {
            let held = Held()
            left = held
            let provider = MoyaProvider<GitHub>(
                endpointClosure: { _ in
                    Endpoint(
                        url: "https://example.com/", sampleResponseClosure: { .networkResponse(200, sample(held)) },
                        method: .get, task: .requestPlain, httpHeaderFields: nil)
                },
                stubClosure: MoyaProvider.immediatelyStub)
            token = provider.request(.zen) { _ in }
        }
        #expect(left == nil)
        withExtendedLifetime(token) {}
    }

    @Test func aRetainedCallWithoutARequestRetainsNoSession() {
        weak var left: Session?
        let token: any Cancellable
        do {
            let session = Session(transport: StepwiseTransport.waiting().0)
            left = session
            let provider = MoyaProvider<GitHub>(requestClosure: { _, _ in }, session: session)
            token = provider.request(.zen) { _ in }
        }
        #expect(left == nil)
        withExtendedLifetime(token) {}
    }

    @Test(arguments: [false, true]) func providerDoesNotKeepACallThatHasEnded(_ tracksInflights: Bool) {
        final class Held: Sendable {}
        let provider = MoyaProvider<GitHub>(
            stubClosure: MoyaProvider.immediatelyStub, trackInflights: tracksInflights)
        weak var left: Held?
        do {
            let held = Held()
            left = held
            provider.request(.zen) { _ in withExtendedLifetime(held) {} }
        }
        #expect(left == nil)
        withExtendedLifetime(provider) {}
    }

    @Test func endedCallDoesNotKeepItsProvider() async {
        var provider: MoyaProvider<GitHub>? = MoyaProvider(session: Session(transport: StepwiseTransport.answering()))
        _ = await provider?.end(of: .zen)
        weak let released = provider
        provider = nil
        #expect(released == nil)
    }
}

/// A sample that retains an object.
private func sample(_ source: some AnyObject & Sendable) -> Data {
    withExtendedLifetime(source) { Data("sample".utf8) }
}
