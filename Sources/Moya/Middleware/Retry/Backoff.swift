/// The wait between two attempts at a call.
public struct Backoff: Sendable, Hashable {
    /// The random spread of the waits, so that the clients of a server that failed do not all come back at once.
    public enum Jitter: Sendable, Hashable {
        /// Every wait is as long as the backoff says.
        case none
        /// Every wait is somewhere between nothing and what the backoff says, all equally likely.
        case full
    }

    /// The longest wait before the second attempt, in seconds.
    private let base: Double
    /// The growth of the longest wait from one attempt to the next.
    private let factor: Double
    /// The upper bound of every wait, in seconds.
    private let maximum: Double
    private let jitter: Jitter

    /// Waits that double from attempt to attempt.
    ///
    /// - Parameters:
    ///   - base: The longest wait before the second attempt; none when it is not positive.
    ///   - factor: The growth for each further attempt; 1 when it is less, or NaN.
    ///   - maximum: The upper bound of every wait, at most a century.
    ///   - jitter: The random spread of the waits.
    public static func exponential(
        base: Duration, factor: Double = 2, maximum: Duration = .seconds(20), jitter: Jitter = .full
    ) -> Backoff {
        Backoff(
            base: Swift.max(0, base.seconds), factor: factor >= 1 ? factor : 1, maximum: Swift.max(0, maximum.seconds),
            jitter: jitter)
    }

    /// Waits of the same length.
    public static func constant(_ duration: Duration, jitter: Jitter = .none) -> Backoff {
        exponential(base: duration, factor: 1, maximum: duration, jitter: jitter)
    }

    /// No waits.
    public static let none = Backoff(base: 0, factor: 1, maximum: 0, jitter: .none)

    /// The longest wait after an attempt that failed, 1 for the first.
    package func longestWait(afterAttempt attempt: Int) -> Duration {
        var seconds = base
        var passed = 1
        // A loop instead of a power: it ends as soon as the maximum is reached, and nothing overflows.
        while passed < attempt, seconds > 0, seconds < maximum, factor > 1 {
            seconds *= factor
            passed += 1
        }
        return Duration(clampingSeconds: Swift.min(seconds, maximum))
    }

    /// The wait after an attempt that failed, 1 for the first.
    package func wait(afterAttempt attempt: Int, using generator: inout some RandomNumberGenerator) -> Duration {
        let longest = longestWait(afterAttempt: attempt)
        switch jitter {
        case .none: return longest
        case .full: return Duration(clampingSeconds: .random(in: 0...longest.seconds, using: &generator))
        }
    }
}
