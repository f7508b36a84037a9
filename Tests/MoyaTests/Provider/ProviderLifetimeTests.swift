import Foundation
import Moya
import MoyaTransport
import Testing

/// A call retains its provider until it is over, though Moya's guides say that it does not.
@Suite struct ProviderLifetimeTests {
    @Test(arguments: [false, true]) func callOfAReleasedProviderReceivesItsResponse(_ tracksInflights: Bool)
        async throws
    {
        let (transport, exchanges) = StepwiseTransport.waiting()
        let promise = Promise<Result<Response, MoyaError>>()
        var provider: MoyaProvider<GitHub>? = MoyaProvider(
            session: Session(transport: transport), trackInflights: tracksInflights)
        for _ in 0..<2 { provider?.request(.zen) { promise.fulfill($0) } }
        let count = tracksInflights ? 1 : 2
        provider = nil
        for await exchange in exchanges.prefix(count) { exchange.answer() }
        for _ in 0..<2 { #expect(try await promise.value.text == "answer") }
    }

    @Test(arguments: [false, true]) func delayedStubOfAReleasedProviderCompletes(_ tracksInflights: Bool) async throws {
        let promise = Promise<Result<Response, MoyaError>>()
        MoyaProvider<GitHub>(stubClosure: MoyaProvider.delayedStub(0.001), trackInflights: tracksInflights)
            .request(.zen) { promise.fulfill($0) }
        #expect(try await promise.value.response?.statusCode == 200)
    }

    @Test func callOfAReleasedProviderCanBeCancelled() async throws {
        let (transport, exchanges) = StepwiseTransport.waiting()
        let promise = Promise<Result<Response, MoyaError>>()
        var provider: MoyaProvider<GitHub>? = MoyaProvider(session: Session(transport: transport))
        let token = provider?.request(.zen) { promise.fulfill($0) }
        provider = nil
        for await _ in exchanges.prefix(1) { token?.cancel() }
        #expect(try await promise.value.isCancelled)
        #expect(token?.isCancelled == true)
    }

    @Test func callOfAReleasedProviderWaitsForItsRequest() async throws {
        let held = HeldRequest()
        let promise = Promise<Result<Response, MoyaError>>()
        var provider: MoyaProvider<GitHub>? = MoyaProvider(
            requestClosure: { held.closure($0, $1) }, session: Session(transport: StepwiseTransport.answering()))
        provider?.request(.zen) { promise.fulfill($0) }
        provider = nil
        try await held.answer()
        #expect(try await promise.value.text == "answer")
    }

    @Test(arguments: [false, true]) func providerIsReleasedWhenItsLastCallIsOver(_ tracksInflights: Bool) async throws {
        let (transport, exchanges) = StepwiseTransport.waiting()
        let promise = Promise<Void>()
        var provider: MoyaProvider<GitHub>? = MoyaProvider(
            session: Session(transport: transport), trackInflights: tracksInflights)
        let releasedOnQueue = DispatchQueue(label: "completion")
        let token = provider?.request(.zen, callbackQueue: releasedOnQueue) { _ in promise.fulfill(()) }
        weak let released = provider
        provider = nil
        for await exchange in exchanges.prefix(1) {
            #expect(released != nil)
            exchange.answer()
        }
        try await promise.value
        releasedOnQueue.sync {}
        #expect(released == nil)
        withExtendedLifetime(token) {}
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

    @Test(arguments: [false, true])
    func callWithMiddlewareWhoseRequestNeverComesIsReleased(_ tracksInflights: Bool) {
        final class Held: Sendable {}
        weak var left: Held?
        do {
            let held = Held()
            left = held
            let provider = MoyaProvider<GitHub>(
                requestClosure: { _, _ in }, middleware: [ClosureMiddleware.waiting(.zero)],
                trackInflights: tracksInflights)
            provider.request(.zen) { _ in withExtendedLifetime(held) {} }
        }
        #expect(left == nil)
    }

    @Test(.timeLimit(.minutes(3))) func callAfterALostRequestIsMade() async {
        let isLost = Lock(true)
        let provider = MoyaProvider<GitHub>(
            requestClosure: { endpoint, done in
                if isLost.exchange(false) { return }
                MoyaProvider<GitHub>.defaultRequestMapping(for: endpoint, closure: done)
            },
            stubClosure: MoyaProvider.immediatelyStub, middleware: [ClosureMiddleware.waiting(.zero)],
            trackInflights: true)
        provider.request(.zen) { _ in }
        #expect(await provider.end(of: .zen).response?.statusCode == 200)
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
