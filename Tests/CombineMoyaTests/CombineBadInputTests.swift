#if CombineMoya
import AdapterContract
import CombineMoya
import Foundation
import Moya
import MoyaTesting
import Testing

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

/// Subscribers and schedulers that misbehave: no crash, and nothing left of providers and requests.
@Suite(.timeLimit(.minutes(5))) struct CombineBadInputTests {
    private let live = LiveObjects()
    private struct Thrown: Error {}

    private func provider() -> MoyaProvider<ContractTarget> {
        MoyaProvider(session: live.session(), plugins: [live.pluginOfAProvider()])
    }

    /// Answers with the beginning of a body and stalls.
    private func stallingServer() async throws -> LoopbackServer {
        try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Content-Length": "100"])
            try await exchange.send("some")
            try await exchange.stallUntilClosed()
        }
    }

    @Test func closureThatThrowsCancelsTheCall() async throws {
        let server = try await stallingServer()
        do {
            let provider = provider()
            let events = provider.requestWithProgressPublisher(ContractTarget(server.url))
            let watcher = Watcher(AnyStream(events.tryMap { _ -> Int in throw Thrown() }.eraseToAnyPublisher()))
            try await watcher.until { !$0.ends.isEmpty }
            try await server.waitUntil { $0.openConnectionCount == 0 }
            #expect(watcher.events.count == 1)
            withExtendedLifetime(provider) {}
        }
        try await live.areGone()
    }

    @Test func takingOneElementCancelsTheCall() async throws {
        let server = try await stallingServer()
        do {
            let provider = provider()
            let events = provider.requestWithProgressPublisher(ContractTarget(server.url))
            let watcher = Watcher(AnyStream(events.first().eraseToAnyPublisher()))
            #expect(try await watcher.success().count == 1)
            try await server.waitUntil { $0.openConnectionCount == 0 }
            withExtendedLifetime(provider) {}
        }
        try await live.areGone()
    }

    @Test func schedulerThatNeverRunsDeliversNothing() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "hello") }
        do {
            let queue = DispatchQueue(label: "test")
            let scheduler = StandingScheduler()
            let provider = provider()
            let response = provider.requestPublisher(ContractTarget(server.url), callbackQueue: queue)
            let watcher = Watcher(AnyStream(response.receive(on: scheduler).eraseToAnyPublisher()))
            for await _ in scheduler.actions { break }
            watcher.dispose()
            #expect(watcher.events.isEmpty)
            withExtendedLifetime(provider) {}
        }
        try await live.areGone()
    }

    @Test func subscriptionOnASchedulerThatNeverRunsMakesNoCall() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "hello") }
        do {
            let provider = provider()
            let response = provider.requestPublisher(ContractTarget(server.url))
            let watcher = Watcher(AnyStream(response.subscribe(on: StandingScheduler()).eraseToAnyPublisher()))
            watcher.dispose()
            #expect(watcher.events.isEmpty)
        }
        try await live.areGone()
        #expect(server.requestCount == 0)
    }

    @Test func releasingTheCancellableCancelsTheCall() async throws {
        let server = try await stallingServer()
        do {
            let provider = provider()
            var cancellables: Set<AnyCancellable> = []
            provider.requestPublisher(ContractTarget(server.url))
                .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
                .store(in: &cancellables)
            try await server.waitUntil { $0.requestCount == 1 }
            cancellables = []
            try await server.waitUntil { $0.openConnectionCount == 0 }
            withExtendedLifetime(provider) {}
        }
        try await live.areGone()
    }
}

#if canImport(Combine)
private typealias Ending = Combine.Cancellable
#else
private typealias Ending = OpenCombine.Cancellable
#endif

/// Announces every action and runs none.
private final class StandingScheduler: Scheduler {
    typealias SchedulerTimeType = ImmediateScheduler.SchedulerTimeType
    typealias SchedulerOptions = Never

    let (actions, continuation) = AsyncStream<Void>.makeStream()

    var now: SchedulerTimeType { ImmediateScheduler.shared.now }
    var minimumTolerance: SchedulerTimeType.Stride { 0 }

    func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) { continuation.yield() }

    func schedule(
        after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
        _ action: @escaping () -> Void
    ) {}

    func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?, _ action: @escaping () -> Void
    ) -> any Ending {
        AnyCancellable {}
    }
}
#endif
