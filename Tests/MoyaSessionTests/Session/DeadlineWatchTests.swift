import MoyaTransport
import Testing

@testable import MoyaSession

@Suite struct DeadlineWatchTests {
    /// The times of five checks, each of which returns a deadline 1 ms later among so many.
    private func checks(among count: Int) async throws -> [UInt64] {
        let watch = DeadlineWatch()
        let times = Lock<[UInt64]>([])
        let first = try #require(Deadline(in: 0.001))
        await withCheckedContinuation { continuation in
            watch.watch(first) { now in
                let isLast = times.withLock {
                    $0.append(now)
                    return $0.count == 5
                }
                if isLast { continuation.resume() }
                return (isLast ? nil : Deadline(in: 0.001, from: now), count)
            }
        }
        return times.value
    }

    @Test(.timeLimit(.minutes(1))) func checksManyDeadlinesEveryTenMilliseconds() async throws {
        let times = try await checks(among: 100_000)
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= 10_000_000 })
    }

    /// The work of a check is in proportion to the number of the deadlines that are left, here 1 ms apart.
    @Test func checksDeadlinesThatPassOneAfterAnotherAFewTimesEach() {
        let count = 16_000
        var (checks, passed, work) = (DeadlineChecks(), 0, 0)
        while passed < count {
            let now = max(UInt64(passed + 1) * 1_000_000, checks.earliest)
            work += count - passed
            checks.record(count - passed, at: now)
            passed = Int(now / 1_000_000)
        }
        #expect(work < 1_500 * count)
    }

    @Test(arguments: [(0, 0), (1, 1_000), (100, 100_000), (10_000, 10_000_000), (Int.max, 10_000_000)])
    func delaysFewDeadlinesByMicroseconds(count: Int, delay: Int) {
        var checks = DeadlineChecks()
        checks.record(count, at: 7)
        #expect(checks.earliest == UInt64(7 + delay))
    }
}
