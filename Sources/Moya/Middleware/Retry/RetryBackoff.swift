/// The wait between two attempts of a call.
public struct RetryBackoff: Sendable, Hashable {
    /// The random variation of waits, so that clients do not all retry a failed server at the same time.
    public enum Jitter: Sendable, Hashable {
        /// No variation.
        case none
        /// A uniformly distributed wait between zero and the backoff.
        case full
    }

    /// The maximum wait before the second attempt, in seconds.
    private let base: Double
    /// The growth of the maximum wait from one attempt to the next.
    private let factor: Double
    /// The upper limit of every wait, in seconds.
    private let maximum: Double
    private let jitter: Jitter

    /// Waits that double from attempt to attempt.
    ///
    /// - Parameters:
    ///   - base: The maximum wait before the second attempt; zero if it is not positive.
    ///   - factor: The growth for each further attempt; 1 if it is less, or NaN.
    ///   - maximum: The upper limit of every wait, at most a century.
    ///   - jitter: The random variation of the waits.
    public static func exponential(
        base: Duration, factor: Double = 2, maximum: Duration = .seconds(20), jitter: Jitter = .full
    ) -> RetryBackoff {
        RetryBackoff(
            base: Swift.max(0, base.seconds), factor: factor >= 1 ? factor : 1, maximum: Swift.max(0, maximum.seconds),
            jitter: jitter)
    }

    /// Constant waits.
    public static func constant(_ duration: Duration, jitter: Jitter = .none) -> RetryBackoff {
        exponential(base: duration, factor: 1, maximum: duration, jitter: jitter)
    }

    /// No waits.
    public static let none = RetryBackoff(base: 0, factor: 1, maximum: 0, jitter: .none)

    /// The maximum wait after a failed attempt, 1 for the first.
    package func longestWait(afterAttempt attempt: Int) -> Duration {
        var seconds = base
        var passed = 1
        // A loop instead of a power: it ends once the maximum is reached, and cannot overflow.
        while passed < attempt, seconds > 0, seconds < maximum, factor > 1 {
            seconds *= factor
            passed += 1
        }
        return Duration(clampingSeconds: Swift.min(seconds, maximum))
    }

    /// The wait after a failed attempt, 1 for the first.
    package func wait(afterAttempt attempt: Int, using generator: inout some RandomNumberGenerator) -> Duration {
        let longest = longestWait(afterAttempt: attempt)
        switch jitter {
        case .none: return longest
        case .full: return Duration(clampingSeconds: .random(in: 0...longest.seconds, using: &generator))
        }
    }
}
