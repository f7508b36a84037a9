import Foundation
import Moya
import MoyaTesting
import Testing

@Suite struct CancellableTests {
    // MARK: Tokens

    @Test func tokenBeginsUncancelled() { #expect(!CancellableToken {}.isCancelled) }

    @Test func tokenRunsItsActionOnce() {
        let calls = Recorder<Void>()
        let token = CancellableToken { calls.append(()) }
        token.cancel()
        token.cancel()
        #expect(calls.count == 1 && token.isCancelled)
    }

    @Test func tokenRunsItsActionOnceWithManyCancellers() {
        let calls = Recorder<Void>()
        let token = CancellableToken { calls.append(()) }
        DispatchQueue.concurrentPerform(iterations: 100) { _ in token.cancel() }
        #expect(calls.count == 1)
    }

    @Test func actionMayCancelItsToken() {
        let tokens = Recorder<CancellableToken>()
        let token = CancellableToken { tokens.values.first?.cancel() }
        tokens.append(token)
        token.cancel()
        #expect(token.isCancelled)
        tokens.removeAll()
    }

    @Test func tokenOfAnActionIsAnEmptyRequest() { #expect(CancellableToken {}.debugDescription == "Empty Request") }

    // MARK: Calls

    private func provider(_ transport: StepwiseTransport) -> MoyaProvider<GitHub> {
        MoyaProvider(session: Session(transport: transport))
    }

    /// Moya gives -999 before sending and another error after.
    @Test func cancelledRequestEndsWithTheCancelledError() async throws {
        let (transport, exchanges) = StepwiseTransport.waiting()
        let provider = provider(transport)
        let promise = Promise<Result<Response, MoyaError>>()
        let token = provider.request(.zen) { promise.fulfill($0) }
        for await exchange in exchanges.prefix(1) {
            token.cancel()
            #expect(exchange.cancellations.count == 1)
        }
        #expect(try await promise.value.isCancelled)
        #expect(token.isCancelled)
    }

    @Test func cancellingAfterTheEndOnlySetsTheFlag() async throws {
        let provider = provider(.answering())
        let results = Recorder<Result<Response, MoyaError>>()
        let promise = Promise<Void>()
        let token = provider.request(.zen) {
            results.append($0)
            promise.fulfill(())
        }
        try await promise.value
        token.cancel()
        #expect(token.isCancelled)
        #expect(results.values.map(\.text) == ["answer"])
    }

    @Test func cancellingAnImmediateStubDoesNothing() {
        let provider = MoyaProvider<GitHub>(stubClosure: MoyaProvider.immediatelyStub)
        let results = Recorder<Result<Response, MoyaError>>()
        let token = provider.request(.zen) { results.append($0) }
        token.cancel()
        #expect(results.values.compactMap(\.response).count == 1)
        #expect(results.count == 1)
    }

    @Test func cancellingDuringTheResponseEndsTheCall() async throws {
        let promise = Promise<Result<Response, MoyaError>>()
        let (transport, exchanges) = StepwiseTransport.waiting()
        let provider = provider(transport)
        let token = provider.request(.zen, progress: { _ in promise.fulfill(.failure(.requestMapping("progress"))) }) {
            promise.fulfill($0)
        }
        for await exchange in exchanges.prefix(1) {
            exchange.head(200, ["Content-Length": "100"])
            exchange.chunk(Data("half".utf8))
        }
        _ = try await promise.value
        token.cancel()
        var result = try await promise.value
        if case .failure(.requestMapping) = result { result = try await promise.value }
        guard case .underlying(let error, _) = result.error else {
            Issue.record("\(result)")
            return
        }
        #expect((error as NSError).code == NSURLErrorCancelled)
    }

    @Test func completionIsCalledOnceWithManyCancellers() async throws {
        let (transport, exchanges) = StepwiseTransport.waiting()
        let provider = provider(transport)
        let results = Recorder<Result<Response, MoyaError>>()
        let promise = Promise<Void>()
        let queue = DispatchQueue(label: "callbacks")
        let token = provider.request(.zen, callbackQueue: queue) {
            results.append($0)
            promise.fulfill(())
        }
        for await exchange in exchanges.prefix(1) {
            exchange.answer()
            DispatchQueue.concurrentPerform(iterations: 50) { _ in token.cancel() }
        }
        try await promise.value
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        #expect(results.count == 1)
    }
}
