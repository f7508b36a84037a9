import Foundation
import MoyaTransport

/// The time limits of an exchange; those of `URLSession` are whole seconds on Linux and cannot be distinguished.
struct ExchangeDeadlines {
    private var idle: DispatchTimeInterval?
    private var lastActivity = DispatchTime.distantFuture
    private(set) var totalDeadline = DispatchTime.distantFuture

    init() {}

    init(_ timeouts: Timeouts, now: DispatchTime) {
        idle = Self.interval(timeouts.idle)
        lastActivity = now
        if let total = Self.interval(timeouts.total) { totalDeadline = now + total }
    }

    mutating func recordActivity(now: DispatchTime) {
        if idle != nil { lastActivity = now }
    }

    /// The time at which the first limit passes without further activity; silence does not count while a reader waits.
    func deadline(isPaused: Bool) -> DispatchTime {
        guard let idle, !isPaused else { return totalDeadline }
        return min(totalDeadline, lastActivity + idle)
    }

    /// The failure of an exchange whose time limit has passed.
    func failure(at now: DispatchTime, _ timeouts: Timeouts) -> TransportFailure {
        totalDeadline <= now
            ? .timeout(.total, seconds: timeouts.total) : .timeout(.idle, seconds: timeouts.idle)
    }

    private static func interval(_ seconds: Double?) -> DispatchTimeInterval? {
        guard let nanoseconds = UInt64.nanoseconds(ofLimit: seconds) else { return nil }
        if let count = Int(exactly: nanoseconds) { return .nanoseconds(count) }
        // Where `Int` has 32 bits, it counts nanoseconds for two seconds, and milliseconds for 24 days.
        if let count = Int(exactly: nanoseconds.divided(by: 1_000_000)) { return .milliseconds(count) }
        return .seconds(Int(clamping: nanoseconds.divided(by: 1_000_000_000)))
    }
}

extension UInt64 {
    /// The quotient, rounded up; the number is at most that of a century.
    fileprivate func divided(by unit: UInt64) -> UInt64 { (self + unit - 1) / unit }
}
