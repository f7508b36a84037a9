import MoyaTesting
import Testing

@testable import Moya

/// User code that a retry runs may lead back to the same retry.
@Suite struct RetryReentryTests {
    /// Calls a closure each time a number is drawn.
    private struct ClosureGenerator: RandomNumberGenerator, Sendable {
        let onDraw: @Sendable () -> UInt64

        mutating func next() -> UInt64 { onDraw() }
    }

    /// Calls a closure each time the time is read.
    private struct ClosureClock: Clock {
        let onNow: @Sendable () -> Void

        var now: ContinuousClock.Instant {
            onNow()
            return ContinuousClock.now
        }
        var minimumResolution: Duration { .zero }

        func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {}
    }

    @Test func generatorMayCallItself() {
        let generators = Recorder<LockedGenerator>()
        let draws = Recorder<Void>()
        generators.append(
            LockedGenerator(
                ClosureGenerator {
                    draws.append(())
                    if draws.count == 1 { _ = generators.values.first?.draw { $0.next() } }
                    return UInt64(draws.count)
                }))
        #expect(generators.values.first?.draw { $0.next() } == 3)
        #expect(generators.values.first?.draw { $0.next() } == 4)
        generators.removeAll()
    }

    @Test func generatorThatAlwaysCallsAnotherGivesANumber() {
        let generators = Recorder<LockedGenerator>()
        let depth = Recorder<Void>()
        generators.append(
            LockedGenerator(
                ClosureGenerator {
                    if depth.count == 0 {
                        depth.append(())
                        _ = generators.values.first?.draw { $0.next() }
                        depth.removeAll()
                    }
                    return 7
                }))
        #expect(generators.values.first?.draw { $0.next() } == 7)
        generators.removeAll()
    }

    @Test func clockMayCallTheBudget() {
        let budgets = Recorder<RetryBudget>()
        budgets.append(RetryBudget())
        let times = Recorder<Void>()
        let clock = ClosureClock {
            times.append(())
            budgets.values.first?.deposit(by: ContinuousClock())
            _ = budgets.values.first?.withdraw(by: ContinuousClock())
        }
        budgets.values.first?.deposit(by: clock)
        #expect(times.count > 0)
        #expect(budgets.values.first?.withdraw(by: clock) == true)
        budgets.removeAll()
    }
}
