import Dispatch
import MoyaTransport

/// The bounds on a call, each from its own start; `nil` leaves a bound to whoever sets it next, and a bound that is not
/// positive is none.
///
/// A request's own bounds win over those of its session, and these over the session's `URLSessionConfiguration`.
public struct RequestTimeouts: Sendable, Hashable {
    /// From the start of name resolution until a connection, TLS included, is ready.
    public var connect: Duration?
    /// Between two bytes, in either direction.
    public var idle: Duration?
    /// From the start to the end of one exchange with a server; every attempt and every redirect has its own.
    public var attempt: Duration?
    /// From the start of the request to its end: adapting, all attempts, and the time between them.
    public var total: Duration?

    /// Makes bounds; those not given are `nil`.
    public init(connect: Duration? = nil, idle: Duration? = nil, attempt: Duration? = nil, total: Duration? = nil) {
        self.connect = connect
        self.idle = idle
        self.attempt = attempt
        self.total = total
    }

    /// These bounds, and for those that are `nil` the other's.
    package func over(_ other: RequestTimeouts) -> RequestTimeouts {
        RequestTimeouts(
            connect: connect ?? other.connect, idle: idle ?? other.idle, attempt: attempt ?? other.attempt,
            total: total ?? other.total)
    }
}

extension Duration {
    /// The duration in seconds; `nil` when it is not positive, which sets no bound.
    var positiveSeconds: Double? {
        let seconds = self / .seconds(1)
        return seconds > 0 ? seconds : nil
    }
}

/// A moment that a request must not outlast, on a clock that nobody sets.
struct Deadline: Comparable {
    /// Nanoseconds of `DispatchTime`'s clock.
    let uptimeNanoseconds: UInt64

    init?(in seconds: Double?, from now: UInt64 = DispatchTime.now().uptimeNanoseconds) {
        guard let seconds, seconds > 0, seconds < 1e9 else { return nil }
        uptimeNanoseconds = now + UInt64(seconds * 1e9)
    }

    /// How much time is left, in seconds; never 0, which would set no bound.
    func secondsLeft(at now: UInt64 = DispatchTime.now().uptimeNanoseconds) -> Double {
        now < uptimeNanoseconds ? Double(uptimeNanoseconds - now) / 1e9 : 1e-3
    }

    func isOver(at now: UInt64 = DispatchTime.now().uptimeNanoseconds) -> Bool { now >= uptimeNanoseconds }

    static func < (one: Deadline, other: Deadline) -> Bool { one.uptimeNanoseconds < other.uptimeNanoseconds }
}
