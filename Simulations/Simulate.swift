import Foundation
import Moya
import MoyaTesting

/// Prints the figures of simulations in virtual time, with seeded random numbers; fails if one is out of bounds.
///
/// The figures of decisions are the same in every run. With providers, any of the calls that fail at the same
/// instant may get the last token of the budget.
@main
struct Simulate {
    private static let million = 1_000_000

    static func main() async throws {
        var report = Report()
        failingBackend(&report)
        totalDeadlines(&report)
        posts(&report)
        try await providers(&report)
        if report.isOff { exit(1) }
    }

    /// A backend that fails every call, at 1,000 calls a second.
    private static func failingBackend(_ report: inout Report) {
        report.heading("A backend that fails every call, 1,000 calls a second, 1,000 seconds")
        let budgets: [(String, RetryBucket?)] = [
            ("no budget", nil), ("budget", RetryBucket(ratio: 0.1, reserve: 10, period: .seconds(10))),
        ]
        for (name, bucket) in budgets {
            var traffic = Traffic(
                calls: million, interval: .milliseconds(1),
                rules: RetryRules(
                    attempts: 3, backoff: .exponential(base: .milliseconds(200)), longestRetryAfter: .seconds(60)),
                bucket: bucket,
                backend: { _ in
                    Traffic.Attempt(latency: .milliseconds(20), outcome: .unavailable(retryAfter: nil))
                }, generator: SeededGenerator(seed: 1))
            let figures = traffic.run()
            report.figures(name, figures)
            if bucket != nil {
                report.check("at most 10 % extra load", figures.extraLoad <= 0.1)
                report.check("a budget that is used", figures.extraLoad > 0.099)
            }
        }
    }

    /// A backend that is slow, fails and requests waits, and calls with deadlines of every length.
    private static func totalDeadlines(_ report: inout Report) {
        report.heading("Total deadlines of 0.05 to 5 s, a backend that takes up to 2 s, fails and asks to wait")
        var traffic = Traffic(
            calls: million, interval: .microseconds(500),
            rules: RetryRules(
                attempts: 6, backoff: .exponential(base: .milliseconds(100)), longestRetryAfter: .seconds(60)),
            bucket: nil, attemptDeadline: .seconds(1),
            total: { .milliseconds(Int.random(in: 50...5_000, using: &$0)) },
            backend: { generator in
                let latency = Duration.microseconds(Int.random(in: 100...2_000_000, using: &generator))
                let outcome: RetryRules.Outcome =
                    switch Int.random(in: 0..<10, using: &generator) {
                    case 0..<3: .final
                    case 3..<6: .interrupted
                    case 6..<8: .unavailable(retryAfter: nil)
                    default: .unavailable(retryAfter: Double.random(in: 0...10, using: &generator))
                    }
                return Traffic.Attempt(latency: latency, outcome: outcome)
            }, generator: SeededGenerator(seed: 2))
        let figures = traffic.run()
        report.figures("calls", figures)
        report.check("no deadline broken", figures.brokenDeadlines == 0)
        report.check("deadlines that end calls", figures.cutByDeadline > 0)
        report.check("retries", figures.mostAttemptsOfACall > 1)
    }

    /// A POST without an idempotency key.
    private static func posts(_ report: inout Report) {
        report.heading("POST without a key, a backend that fails every call")
        var traffic = Traffic(
            calls: million, interval: .milliseconds(1),
            rules: RetryRules(attempts: 3, backoff: .none, longestRetryAfter: .seconds(60)), bucket: nil,
            isRepeatable: false,
            backend: { generator in
                let isInterrupted = Bool.random(using: &generator)
                return Traffic.Attempt(
                    latency: .milliseconds(20), outcome: isInterrupted ? .interrupted : .unavailable(retryAfter: nil))
            }, generator: SeededGenerator(seed: 3))
        let figures = traffic.run()
        report.figures("calls", figures)
        report.check("none sent twice", figures.mostAttemptsOfACall == 1)
    }

    /// Simulates the traffic through providers, with all middleware and tasks.
    private static func providers(_ report: inout Report) async throws {
        report.heading("Through a real provider, stubs that fail, 5,000 calls a second, total deadlines of 1.5 s")
        let gets = try await ProviderTraffic(calls: 5_000, method: .get, budget: .standard, seed: 4).run()
        report.figures("GET", gets)
        report.check("at most 10 % extra load", gets.extraLoad <= 0.1)
        report.check("a budget that is used", gets.extraLoad > 0.09)
        report.check("no deadline broken", gets.brokenDeadlines == 0)
        let lavish = RetryBudget(ratio: 1, reserve: 1_000_000)
        let retried = try await ProviderTraffic(calls: 5_000, method: .get, budget: lavish, seed: 5).run()
        report.figures("GET with a budget without bound", retried)
        report.check("no deadline broken", retried.brokenDeadlines == 0)
        report.check("deadlines that end calls", retried.cutByDeadline > 0)
        let posts = try await ProviderTraffic(calls: 5_000, method: .post, budget: lavish, seed: 6).run()
        report.figures("POST", posts)
        report.check("no POST sent twice", posts.mostAttemptsOfACall == 1)
        report.check("no deadline broken", posts.brokenDeadlines == 0)
    }
}
