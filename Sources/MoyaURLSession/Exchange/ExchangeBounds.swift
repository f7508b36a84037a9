import Foundation
import MoyaTransport

/// When an exchange has taken too long; `URLSession` has bounds of its own, which are whole seconds on Linux and are not
/// told apart.
struct ExchangeBounds {
    private var idle: DispatchTimeInterval?
    private var lastActivity = DispatchTime.distantFuture
    private(set) var totalDeadline = DispatchTime.distantFuture

    init() {}

    init(_ timeouts: TransportTimeouts, now: DispatchTime) {
        idle = Self.interval(timeouts.idle)
        lastActivity = now
        if let total = Self.interval(timeouts.total) { totalDeadline = now + total }
    }

    mutating func noteActivity(now: DispatchTime) {
        if idle != nil { lastActivity = now }
    }

    /// When the first bound runs out, if nothing happens until then; silence does not count while a reader waits.
    func deadline(isPaused: Bool) -> DispatchTime {
        guard let idle, !isPaused else { return totalDeadline }
        return min(totalDeadline, lastActivity + idle)
    }

    /// Why an exchange ends whose bound has run out.
    func failure(at now: DispatchTime, _ timeouts: TransportTimeouts) -> TransportFailure {
        totalDeadline <= now ? .totalTimeout(seconds: timeouts.total) : .idleTimeout(seconds: timeouts.idle)
    }

    private static func interval(_ seconds: Double?) -> DispatchTimeInterval? {
        guard let seconds, seconds >= 0, seconds < 1e9 else { return nil }
        return .nanoseconds(Int((seconds * 1e9).rounded(.up)))
    }
}
