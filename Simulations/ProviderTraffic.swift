import Foundation
import Moya
import MoyaTesting
import MoyaTransport

/// Calls through a real provider with its middleware, answered by stubs, in virtual time.
///
/// Every duration is a whole number of ticks, and time advances by ticks. Before it advances, every call waits: each
/// has two known sleepers on the clock, its deadline and its current wait, or two that mean that it has ended.
struct ProviderTraffic {
    struct Target: TargetType {
        let number: Int
        let method: Moya.Method

        var baseURL: URL { URL(fileURLWithPath: "/simulated") }
        var path: String { "" }
        var task: Moya.RequestTask { .requestPlain }
        var headers: [String: String]? { nil }
    }

    /// Delays an attempt by its simulated duration.
    private struct Latency: MoyaMiddleware {
        let seed: UInt64
        let tick: Duration
        let attempts: Counts

        func intercept(_ call: MiddlewareCall, next: NextMiddleware) async throws(MoyaError) -> Response {
            let number = (call.target as? Target)?.number ?? 0
            attempts.count(number)
            // Each call has its own generator, so that the order of tasks does not matter.
            var generator = SeededGenerator(seed: seed &+ UInt64(number) &* 16 &+ UInt64(call.attempt))
            try await call.wait(for: tick * Int.random(in: 1...100, using: &generator))
            return try await next(call)
        }
    }

    final class Counts: Sendable {
        private let counts: Lock<[Int]>

        init(_ calls: Int) { counts = Lock([Int](repeating: 0, count: calls)) }

        func count(_ number: Int) { counts.withLock { $0[number] += 1 } }

        var all: [Int] { counts.withLock { $0 } }
    }

    var calls: Int
    var method: Moya.Method
    var budget: RetryBudget
    var seed: UInt64

    func run() async throws -> Traffic.Figures {
        let clock = TestClock()
        let tick = Duration.milliseconds(10)
        let counts = Counts(calls)
        let total = tick * 150
        let provider = MoyaProvider<Target>(
            endpointClosure: { target in
                Endpoint(
                    url: "https://simulated.example", sampleResponseClosure: { .networkResponse(503, Data()) },
                    method: target.method, task: .requestPlain, httpHeaderFields: nil)
            },
            stubClosure: MoyaProvider.immediatelyStub,
            middleware: [
                RetryMiddleware(attempts: 4, backoff: .constant(tick * 5), budget: budget),
                Latency(seed: seed, tick: tick, attempts: counts),
            ],
            deadlines: Deadlines(total: total), clock: clock)
        let cut = Counts(calls)
        let broken = Counts(calls)
        let isOver = Counts(calls)
        let method = method
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<calls {
                group.addTask {
                    // Fifty calls with each tick.
                    await Self.sleepTwice(for: tick * (1 + number / 50), on: clock)
                    let begin = clock.now
                    let isLate: Bool
                    do throws(MoyaError) {
                        _ = try await provider.request(Target(number: number, method: method))
                        isLate = false
                    } catch {
                        isLate = error.response == nil
                    }
                    if isLate { cut.count(number) }
                    if begin.duration(to: clock.now) > total { broken.count(number) }
                    isOver.count(number)
                    await Self.sleepTwice(for: .seconds(1_000_000), on: clock)
                }
            }
            repeat {
                try await clock.waitForSleepers(2 * calls, within: .seconds(120))
                clock.advance(by: tick)
            } while isOver.all.contains(0)
            group.cancelAll()
        }
        var figures = Traffic.Figures()
        figures.calls = calls
        figures.attempts = counts.all.reduce(0, +)
        figures.mostAttemptsOfACall = counts.all.max() ?? 0
        figures.cutByDeadline = cut.all.reduce(0, +)
        figures.brokenDeadlines = broken.all.reduce(0, +)
        return figures
    }

    private static func sleepTwice(for duration: Duration, on clock: TestClock) async {
        async let one: Void? = try? clock.sleep(for: duration)
        async let other: Void? = try? clock.sleep(for: duration)
        _ = await (one, other)
    }
}
