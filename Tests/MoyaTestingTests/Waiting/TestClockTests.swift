import Foundation
import MoyaTesting
import Testing

@Suite struct TestClockTests {
    private let clock = TestClock()

    private func sleeper(_ duration: Duration) -> Task<Void, any Error> {
        Task { [clock] in try await clock.sleep(until: clock.now.advanced(by: duration)) }
    }

    @Test func sleeperWakesExactlyAtItsTime() async throws {
        let task = sleeper(.seconds(10))
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(9))
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(1))
        try await task.value
        #expect(clock.now.offset == .seconds(10))
    }

    @Test func sleepUntilThePresentReturnsAtOnce() async throws {
        try await clock.sleep(until: clock.now)
        #expect(clock.sleeperCount == 0)
    }

    @Test func cancelledSleeperThrowsAtOnce() async throws {
        let task = sleeper(.seconds(10))
        try await clock.waitForSleepers(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleeperCount == 0)
    }

    @Test func sleeperOfACancelledTaskDoesNotSleep() async {
        let task = Task { [clock] in
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(1))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func timeAdvancesToTheNextSleeper() async throws {
        let later = sleeper(.seconds(20))
        let sooner = sleeper(.seconds(10))
        try await clock.waitForSleepers(2)
        #expect(clock.untilNextSleeper == .seconds(10))
        #expect(clock.advanceToNextSleeper())
        try await sooner.value
        #expect(clock.advanceToNextSleeper())
        try await later.value
        #expect(!clock.advanceToNextSleeper())
        #expect(clock.now.offset == .seconds(20))
    }

    @Test func timeNeverMovesBackwards() {
        clock.advance(by: .seconds(-5))
        #expect(clock.now.offset == .zero)
    }

    @Test func timeEndsAfterACentury() {
        for _ in 0..<3 { clock.advance(by: .seconds(Int64.max)) }
        let end = clock.now
        #expect(end.offset == .seconds(3_153_600_000))
        #expect(end.advanced(by: .seconds(1)) == end)
        #expect(TestClock.Instant(offset: .seconds(Int64.min)).duration(to: end) == end.offset * 2)
    }

    @Test func dateMovesWithTheClock() {
        let date = clock.date
        clock.advance(by: .milliseconds(1500))
        #expect(clock.date.timeIntervalSince(date) == 1.5)
    }

    @Test func waitingForSleepersThatDoNotComeIsAnError() async {
        await #expect(throws: TestSupportError.self) { try await clock.waitForSleepers(1, within: .milliseconds(1)) }
    }
}
