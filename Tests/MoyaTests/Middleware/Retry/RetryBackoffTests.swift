import Moya
import MoyaTesting
import Testing

@Suite struct RetryBackoffTests {
    private func longest(_ backoff: RetryBackoff, _ attempts: ClosedRange<Int>) -> [Duration] {
        attempts.map { backoff.longestWait(afterAttempt: $0) }
    }

    @Test func waitsDoubleUpToTheMaximum() {
        let backoff = RetryBackoff.exponential(base: .seconds(1), maximum: .seconds(5))
        #expect(longest(backoff, 1...5) == [.seconds(1), .seconds(2), .seconds(4), .seconds(5), .seconds(5)])
    }

    @Test func constantWaitsStayTheSame() {
        #expect(longest(.constant(.seconds(3)), 1...3) == [.seconds(3), .seconds(3), .seconds(3)])
    }

    @Test(arguments: [Int.min, 0, Int.max])
    func noAttemptNumberOverflows(_ attempt: Int) {
        let wait = RetryBackoff.exponential(base: .milliseconds(200)).longestWait(afterAttempt: attempt)
        #expect(wait >= .milliseconds(200) && wait <= .seconds(20))
    }

    @Test(arguments: [Double.nan, -1, 0, 0.5])
    func factorBelowOneIsOne(_ factor: Double) {
        let backoff = RetryBackoff.exponential(base: .seconds(2), factor: factor)
        #expect(longest(backoff, 1...3) == [.seconds(2), .seconds(2), .seconds(2)])
    }

    @Test func negativeWaitsCountAsZero() {
        #expect(longest(.constant(.seconds(-3)), 1...1) == [.zero])
    }

    @Test func fullJitterFillsTheWholeRangeEvenly() {
        var generator = SeededGenerator(seed: 1)
        let backoff = RetryBackoff.exponential(base: .seconds(10), jitter: .full)
        var counts = [Int](repeating: 0, count: 10)
        for _ in 0..<10_000 {
            let wait = backoff.wait(afterAttempt: 1, using: &generator) / .seconds(1)
            counts[min(Int(wait), 9)] += 1
        }
        #expect(counts.allSatisfy { (850...1_150).contains($0) })
    }
}
