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
        UInt64.nanoseconds(ofBound: seconds).map { .nanoseconds(Int(clamping: $0)) }
    }
}
