#if os(Linux)
import Glibc

/// The monotonic clock.
enum MonotonicTime {
    /// Nanoseconds since some fixed point.
    static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Seconds as nanoseconds; `nil` for what is no bound: negative, not a number, or beyond a century.
    static func nanoseconds(_ seconds: Double?) -> UInt64? {
        guard let seconds, seconds >= 0, seconds < 3_153_600_000 else { return nil }
        return UInt64(seconds * 1_000_000_000)
    }
}
#endif
