import Dispatch
import MoyaTransport

/// Time limits of a call; `nil` inherits a limit from the next level.
///
/// Deadlines can be set on the session, the provider, the target and the call; for each limit, the level nearest to the
/// call applies. Those of a session override its `URLSessionConfiguration`. A limit of more than a century is a
/// century. A limit is never early; among thousands of calls, it may be up to 10 ms late.
///
/// On a session or a request, a limit that is not positive means no limit. On a provider, a target or a call, `attempt`
/// and `total` are measured by the provider's clock; one that is not positive has already passed, and nothing is sent.
/// A `connect` or `idle` that is not positive means no limit at every level. A call that exceeds a limit ends with a `URLError` of code `timedOut` inside a
/// `SessionError.sessionTaskFailed`.
public struct Deadlines: Sendable, Hashable {
    /// The time from the start of name resolution until a connection, including TLS, is ready.
    public var connect: Duration?
    /// The time between two bytes, in either direction.
    public var idle: Duration?
    /// The time from the start to the end of one exchange with a server; it starts anew for every attempt and every
    /// redirect.
    ///
    /// A stub, and a provider with another clock than `ContinuousClock`, measure the session's retries and redirects as
    /// one attempt.
    public var attempt: Duration?
    /// The time from the start of the request to its end, including adapters, all attempts, and the delays between
    /// them.
    public var total: Duration?

    /// Makes time limits; omitted limits are `nil`.
    public init(connect: Duration? = nil, idle: Duration? = nil, attempt: Duration? = nil, total: Duration? = nil) {
        self.connect = connect
        self.idle = idle
        self.attempt = attempt
        self.total = total
    }

    /// Returns these limits, with those that are `nil` taken from the other.
    package func over(_ other: Deadlines) -> Deadlines {
        Deadlines(
            connect: connect ?? other.connect, idle: idle ?? other.idle, attempt: attempt ?? other.attempt,
            total: total ?? other.total)
    }
}

extension Duration {
    /// The duration in seconds; `nil` if it is not positive, which means no limit.
    var positiveSeconds: Double? { self > .zero ? seconds : nil }
}

/// The time by which a request must end, on a monotonic clock.
package struct Deadline: Comparable, Sendable {
    /// Nanoseconds of `DispatchTime`'s clock.
    let uptimeNanoseconds: UInt64

    package init?(in seconds: Double?, from now: UInt64 = DispatchTime.now().uptimeNanoseconds) {
        guard let nanoseconds = UInt64.nanoseconds(ofLimit: seconds), nanoseconds > 0 else { return nil }
        uptimeNanoseconds = now + nanoseconds
    }

    /// The time left in seconds; at least 0.001, since 0 would mean no limit.
    func secondsLeft(at now: UInt64 = DispatchTime.now().uptimeNanoseconds) -> Double {
        now < uptimeNanoseconds ? Double(uptimeNanoseconds - now) / 1e9 : 1e-3
    }

    package func isOver(at now: UInt64 = DispatchTime.now().uptimeNanoseconds) -> Bool { now >= uptimeNanoseconds }

    package static func < (one: Deadline, other: Deadline) -> Bool { one.uptimeNanoseconds < other.uptimeNanoseconds }
}
