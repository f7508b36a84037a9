/// Conversions of durations to numbers, for any duration; no other file converts them.
///
/// A duration beyond a century counts as a century, so that no sum or conversion of two of them overflows. Swift's own
/// `components` traps beyond 2^63 seconds, `Duration.seconds(_: Double)` at NaN, and sums at 2^127 attoseconds.
extension Duration {
    /// The longest wait: 100 years of 365 days.
    package static let century = Duration.seconds(Int64(3_153_600_000))

    /// The duration, clamped to between minus a century and a century.
    package var clamped: Duration { min(max(self, .zero - .century), .century) }

    /// The duration in seconds, clamped to between minus a century and a century.
    package var seconds: Double {
        let (seconds, attoseconds) = clamped.components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }

    /// Makes a duration of seconds, clamped to between minus a century and a century; NaN becomes zero.
    package init(clampingSeconds seconds: Double) {
        self = seconds.isNaN ? .zero : .seconds(min(max(seconds, -3_153_600_000), 3_153_600_000))
    }
}

extension UInt64 {
    /// A limit in seconds as nanoseconds, rounded up, at most a century.
    ///
    /// - Parameter seconds: The limit.
    /// - Returns: `nil` without a limit: for `nil`, an infinity, a negative number, and NaN.
    package static func nanoseconds(ofLimit seconds: Double?) -> UInt64? {
        guard let seconds, seconds >= 0, seconds < .infinity else { return nil }
        return UInt64((Swift.min(seconds, 3_153_600_000) * 1e9).rounded(.up))
    }
}
