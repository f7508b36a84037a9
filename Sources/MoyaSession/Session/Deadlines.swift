import Dispatch
import MoyaTransport

/// Limits on how long a call may take; `nil` leaves a limit to the next level.
///
/// Deadlines can be set on the session, the provider, the target and the call; the nearest one to the call counts, each
/// limit by itself. Those of a session win over its `URLSessionConfiguration`. A limit of more than a century is a century.
///
/// On a session or a request, a limit that is not positive sets no limit. On a provider, a target or a call, `attempt`
/// and `total` are measured by the provider's clock: one that is not positive has passed, and nothing is sent. A call
/// that takes longer ends with a `URLError` of code `timedOut` inside a `SessionError.sessionTaskFailed`.
public struct Deadlines: Sendable, Hashable {
    /// From the start of name resolution until a connection, TLS included, is ready.
    public var connect: Duration?
    /// Between two bytes, in either direction.
    public var idle: Duration?
    /// From the start to the end of one exchange with a server; the limit begins anew for every attempt and every
    /// redirect.
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
    package func over(_ other: Deadlines) -> Deadlines {
        Deadlines(
            connect: connect ?? other.connect, idle: idle ?? other.idle, attempt: attempt ?? other.attempt,
            total: total ?? other.total)
    }
}

extension Duration {
    /// The duration in seconds; `nil` when it is not positive, which sets no bound.
    var positiveSeconds: Double? { self > .zero ? seconds : nil }
}

/// A moment that a request must not outlast, on a clock that cannot be set.
package struct Deadline: Comparable, Sendable {
    /// Nanoseconds of `DispatchTime`'s clock.
    let uptimeNanoseconds: UInt64

    package init?(in seconds: Double?, from now: UInt64 = DispatchTime.now().uptimeNanoseconds) {
        guard let nanoseconds = UInt64.nanoseconds(ofBound: seconds), nanoseconds > 0 else { return nil }
        uptimeNanoseconds = now + nanoseconds
    }

    /// The time left, in seconds; never 0, which would set no bound.
    func secondsLeft(at now: UInt64 = DispatchTime.now().uptimeNanoseconds) -> Double {
        now < uptimeNanoseconds ? Double(uptimeNanoseconds - now) / 1e9 : 1e-3
    }

    package func isOver(at now: UInt64 = DispatchTime.now().uptimeNanoseconds) -> Bool { now >= uptimeNanoseconds }

    package static func < (one: Deadline, other: Deadline) -> Bool { one.uptimeNanoseconds < other.uptimeNanoseconds }
}
