import Moya
import Testing

@Suite struct RetryBucketTests {
    /// Makes calls that all fail, evenly over time, and counts the retries that are granted.
    private func retries(calls: Int, every interval: Duration, _ bucket: inout RetryBucket) -> Int {
        var granted = 0
        for call in 0..<calls {
            let now = interval * call
            bucket.deposit(at: now)
            while bucket.withdraw(at: now) { granted += 1 }
        }
        return granted
    }

    @Test(arguments: [100, 1_000, 100_000])
    func clientUnderLoadRetriesATenthOfItsCalls(_ calls: Int) {
        var bucket = RetryBucket(ratio: 0.1, reserve: 10, period: .seconds(10))
        #expect(retries(calls: calls, every: .milliseconds(1), &bucket) == calls / 10)
    }

    @Test func clientWithFewCallsHasItsReserveInEachPeriod() {
        var bucket = RetryBucket(ratio: 0.1, reserve: 2, period: .seconds(10))
        // A call a period, for ten periods.
        #expect(retries(calls: 10, every: .seconds(10), &bucket) == 20)
    }

    @Test func earlierCallsDoNotAccumulateRetries() {
        var bucket = RetryBucket(ratio: 0.1, reserve: 10, period: .seconds(10))
        for call in 0..<100_000 { bucket.deposit(at: .milliseconds(call)) }
        var granted = 0
        while bucket.withdraw(at: .seconds(100)) { granted += 1 }
        #expect(granted <= 20)
    }

    @Test(arguments: [0, 10, 1_000]) func refundUndoesAWithdrawal(_ calls: Int) {
        var bucket = RetryBucket(ratio: 0.1, reserve: 3, period: .seconds(10))
        for _ in 0..<calls { bucket.deposit(at: .zero) }
        var untouched = bucket
        for _ in 0..<20 {
            let isGranted = bucket.withdraw(at: .zero)
            #expect(isGranted)
            bucket.refund()
        }
        var (left, leftUntouched) = (0, 0)
        while bucket.withdraw(at: .zero) { left += 1 }
        while untouched.withdraw(at: .zero) { leftUntouched += 1 }
        #expect(left == leftUntouched)
    }

    @Test(arguments: [-1.0, .nan, 0])
    func ratioBelowZeroIsZero(_ ratio: Double) {
        var bucket = RetryBucket(ratio: ratio, reserve: 0, period: .seconds(10))
        #expect(retries(calls: 1_000, every: .milliseconds(1), &bucket) == 0)
    }

    @Test func ratioAboveOneIsOne() {
        var bucket = RetryBucket(ratio: .infinity, reserve: 0, period: .seconds(10))
        #expect(retries(calls: 1_000, every: .milliseconds(1), &bucket) == 1_000)
    }

    @Test(arguments: [Int.min, Int.max])
    func reserveDoesNotOverflow(_ reserve: Int) {
        var bucket = RetryBucket(ratio: 0.1, reserve: reserve, period: .zero)
        bucket.deposit(at: .zero)
        _ = bucket.withdraw(at: .zero)
    }
}
