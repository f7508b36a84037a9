#if ReactiveMoya
import AdapterContract
import Foundation
import Moya
import MoyaTesting
import ReactiveMoya
@preconcurrency import ReactiveSwift
import Testing

/// Subscribers and schedulers that misbehave: no crash, and nothing left of providers and requests.
@Suite(.timeLimit(.minutes(5))) struct ReactiveBadInputTests {
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
            let events = provider.reactive.requestWithProgress(ContractTarget(server.url))
            let watcher = Watcher(
                AnyStream(events.mapError { $0 as any Error }.attemptMap { _ -> Int in throw Thrown() }))
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
            let events = provider.reactive.requestWithProgress(ContractTarget(server.url))
            let watcher = Watcher(AnyStream(events.take(first: 1)))
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
            let response = provider.reactive.request(ContractTarget(server.url), callbackQueue: queue)
            let watcher = Watcher(AnyStream(response.observe(on: scheduler)))
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
            let response = provider.reactive.request(ContractTarget(server.url))
            let watcher = Watcher(AnyStream(response.start(on: StandingScheduler())))
            watcher.dispose()
            #expect(watcher.events.isEmpty)
        }
        try await live.areGone()
        #expect(server.requestCount == 0)
    }

    @Test func endingTheLifetimeCancelsTheCall() async throws {
        let server = try await stallingServer()
        do {
            let provider = provider()
            var token: Lifetime.Token? = Lifetime.Token()
            let lifetime = token.map(Lifetime.init)
            let response = provider.reactive.request(ContractTarget(server.url))
            lifetime?.observeEnded(response.start().dispose)
            try await server.waitUntil { $0.requestCount == 1 }
            token = nil
            try await server.waitUntil { $0.openConnectionCount == 0 }
            withExtendedLifetime(provider) {}
        }
        try await live.areGone()
    }
}

/// Announces every action and runs none.
private final class StandingScheduler: Scheduler {
    let (actions, continuation) = AsyncStream<Void>.makeStream()

    func schedule(_ action: @escaping () -> Void) -> (any Disposable)? {
        continuation.yield()
        return nil
    }
}
#endif
