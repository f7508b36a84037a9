#if CombineMoya
import AdapterContract
import CombineMoya
import Foundation
import Moya
import MoyaTesting
import MoyaTransport
import Testing

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

/// Values come against demand only, and a subscription makes one call for any demand.
@Suite(.timeLimit(.minutes(5))) struct CallPublisherTests {
    private let live = LiveObjects()

    private func provider(stub: StubBehavior = .never, calls: Counter = Counter()) -> MoyaProvider<ContractTarget> {
        MoyaProvider(
            requestClosure: { endpoint, done in
                calls.increase()
                MoyaProvider<ContractTarget>.defaultRequestMapping(for: endpoint, closure: done)
            },
            stubClosure: { _ in stub }, callbackQueue: stub == .never ? DispatchQueue(label: "test") : nil,
            session: live.session(), plugins: [live.pluginOfAProvider()])
    }

    @Test func noDemandMakesNoCall() async throws {
        let calls = Counter()
        do {
            let provider = provider(stub: .immediate, calls: calls)
            let subscriber = RequestingSubscriber<Response, MoyaError>()
            provider.requestPublisher(ContractTarget()).subscribe(subscriber)
            subscriber.request(.none)
            #expect(calls.count == 0)
            #expect(subscriber.count == 0)
        }
        try await live.areGone()
    }

    @Test func everyFurtherDemandBelongsToTheSameCall() {
        let calls = Counter()
        let provider = provider(stub: .immediate, calls: calls)
        let subscriber = RequestingSubscriber<Response, MoyaError>()
        provider.requestPublisher(ContractTarget()).subscribe(subscriber)
        for _ in 0..<5 { subscriber.request(.max(1)) }
        #expect(calls.count == 1)
        #expect(subscriber.count == 1)
        #expect(subscriber.completionCount == 1)
    }

    @Test func demandReturnedForAValueCounts() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "hello") }
        let provider = provider()
        let subscriber = RequestingSubscriber<ProgressResponse, MoyaError>(answer: .max(1))
        provider.requestWithProgressPublisher(ContractTarget(server.url)).subscribe(subscriber)
        subscriber.request(.max(1))
        try await subscriber.completion()
        #expect(subscriber.values.last?.completed == true)
        #expect(subscriber.count > 1)
    }

    @Test func valueWithoutDemandIsReplacedByTheNext() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: Data(repeating: 1, count: 1_000_000)) }
        let provider = provider()
        let subscriber = RequestingSubscriber<ProgressResponse, MoyaError>()
        let queue = DispatchQueue(label: "test")
        provider.requestWithProgressPublisher(ContractTarget(server.url), callbackQueue: queue).subscribe(subscriber)
        subscriber.request(.max(1))
        try await subscriber.until { $0.count == 1 }
        try await server.waitUntil { $0.handledCount == 1 }
        // The server has sent everything; the call has ended when its provider has no requests left.
        try await live.requestsAreGone()
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        #expect(subscriber.count == 1)
        #expect(subscriber.completionCount == 0)
        subscriber.request(.max(1))
        #expect(subscriber.count == 2)
        #expect(subscriber.values.last?.completed == true)
        #expect(subscriber.completionCount == 1)
        withExtendedLifetime(provider) {}
    }

    @Test func failureDoesNotWaitForDemand() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Content-Length": "100"])
            try await exchange.send("some")
            exchange.reset()
        }
        let provider = provider()
        let subscriber = RequestingSubscriber<ProgressResponse, MoyaError>()
        provider.requestWithProgressPublisher(ContractTarget(server.url)).subscribe(subscriber)
        subscriber.request(.max(1))
        try await subscriber.completion()
        #expect(subscriber.count == 1)
        #expect(subscriber.error != nil)
        withExtendedLifetime(provider) {}
    }

    // MARK: Streams

    private func sample(_ text: String) -> ContractTarget {
        var target = ContractTarget()
        target.sampleData = Data(text.utf8)
        return target
    }

    @Test func streamGivesAsManyElementsAsAreRequested() async throws {
        let provider = provider(stub: .immediate)
        let queue = DispatchQueue(label: "test")
        let subscriber = RequestingSubscriber<String, MoyaError>()
        provider.linesPublisher(of: sample("a\nb\nc\n"), callbackQueue: queue).subscribe(subscriber)
        subscriber.request(.max(2))
        try await subscriber.until { $0.count == 2 }
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        #expect(subscriber.values == ["a", "b"])
        #expect(subscriber.completionCount == 0)
        subscriber.request(.max(1))
        try await subscriber.completion()
        #expect(subscriber.values == ["a", "b", "c"])
    }

    @Test func endOfAStreamDoesNotWaitForDemand() async throws {
        let provider = provider(stub: .immediate)
        let subscriber = RequestingSubscriber<String, MoyaError>()
        provider.linesPublisher(of: sample("a\n"), callbackQueue: DispatchQueue(label: "test")).subscribe(subscriber)
        subscriber.request(.max(1))
        try await subscriber.completion()
        #expect(subscriber.values == ["a"])
        #expect(subscriber.error == nil)
    }

    @Test func subscriberWithoutDemandSlowsTheServerDown() async throws {
        let (piece, count) = (1 << 18, 400)
        let sent = Lock(0)
        let server = try await LoopbackServer { exchange in
            if exchange.request.path == "/other" { return try await exchange.respond() }
            try await exchange.send(head: 200, ["Content-Length": "\(piece * count)"])
            for _ in 0..<count {
                try await exchange.send([UInt8](repeating: 0x61, count: piece))
                sent.add(1)
            }
        }
        let provider = provider()
        let subscriber = RequestingSubscriber<StreamPart, MoyaError>()
        provider.streamPublisher(ContractTarget(server.url)).subscribe(subscriber)
        subscriber.request(.max(1))
        try await subscriber.until { $0.count == 1 }
        var before = -1
        while before != sent.value || before == 0 {
            before = sent.value
            for _ in 0..<50 {
                _ = try await MoyaProvider<ContractTarget>().request(ContractTarget(server.url, path: "other"))
            }
        }
        #expect(before < count / 4, "\(before) of \(count) pieces were sent to a subscriber that wants none")
        subscriber.request(.unlimited)
        try await subscriber.completion()
        #expect(subscriber.values.compactMap { $0.chunk?.count }.reduce(0, +) == piece * count)
    }

    @Test func streamWithoutDemandKeepsItsProviderUntilItIsCancelled() async throws {
        do {
            let subscriber = RequestingSubscriber<String, MoyaError>()
            let provider = provider(stub: .immediate)
            provider.linesPublisher(of: sample("a\nb\n"), callbackQueue: DispatchQueue(label: "test"))
                .subscribe(subscriber)
            subscriber.request(.max(1))
            try await subscriber.until { $0.count == 1 }
            subscriber.cancel()
        }
        try await live.areGone()
    }

    @Test func demandFromManyThreadsMakesOneCall() async throws {
        let calls = Counter()
        do {
            let provider = provider(stub: .immediate, calls: calls)
            for _ in 0..<100 {
                let subscriber = RequestingSubscriber<Response, MoyaError>()
                provider.requestPublisher(ContractTarget()).subscribe(subscriber)
                DispatchQueue.concurrentPerform(iterations: 4) { _ in subscriber.request(.max(1)) }
                #expect(subscriber.count == 1)
                #expect(subscriber.completionCount == 1)
            }
        }
        #expect(calls.count == 100)
        try await live.areGone()
    }
}

private final class Counter: Sendable {
    private let counted = Lock(0)

    var count: Int { counted.value }

    func increase() { counted.add(1) }
}
#endif
