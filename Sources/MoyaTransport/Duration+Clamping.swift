/// Times as numbers, for any time: the one place where they are turned.
///
/// A time beyond a century counts as a century, so that no sum and no conversion of two of them overflows. Swift's own
/// `components` traps beyond 2^63 seconds, `Duration.seconds(_: Double)` at NaN, and sums at 2^127 attoseconds.
extension Duration {
    /// The longest time that anything waits: 100 years of 365 days.
    package static let century = Duration.seconds(3_153_600_000)

    /// The duration, between a century and minus a century.
    package var clamped: Duration { min(max(self, .zero - .century), .century) }

    /// The duration in seconds, between a century and minus a century.
    package var seconds: Double {
        let (seconds, attoseconds) = clamped.components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }

    /// Makes a duration of seconds, between a century and minus a century; zero of NaN.
    package init(clampingSeconds seconds: Double) {
        self = seconds.isNaN ? .zero : .seconds(min(max(seconds, -3_153_600_000), 3_153_600_000))
    }
}

extension UInt64 {
    /// A bound in seconds as nanoseconds, rounded up, at most a century.
    ///
    /// - Parameter seconds: The bound.
    /// - Returns: `nil` where there is no bound: for `nil`, an infinity, a negative number, and NaN.
    package static func nanoseconds(ofBound seconds: Double?) -> UInt64? {
        guard let seconds, seconds >= 0, seconds < .infinity else { return nil }
        return UInt64((Swift.min(seconds, 3_153_600_000) * 1e9).rounded(.up))
    }
}
