import Foundation
import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// How long a call may take.
///
/// Deadlines can be set on the session's configuration, the provider, the target and the call; the nearest one to the
/// call counts, each bound by itself. A call that takes longer ends with a `URLError` of code `timedOut` inside a
/// ``SessionError/sessionTaskFailed(error:)``.
public struct Deadlines: Sendable, Hashable {
    /// Until the connection, TLS included, is ready.
    public var connect: Duration?
    /// Between two bytes, in either direction.
    public var idle: Duration?
    /// From the sending of the request until its response is whole, redirects and the session's own retries included.
    public var attempt: Duration?
    /// From the call until its end: everything that layers wait for and every attempt included.
    public var total: Duration?

    /// Makes deadlines; what is left out is said further out, or is no bound.
    public init(connect: Duration? = nil, idle: Duration? = nil, attempt: Duration? = nil, total: Duration? = nil) {
        self.connect = connect
        self.idle = idle
        self.attempt = attempt
        self.total = total
    }

    /// These, and for what they leave out, others.
    public func overriding(_ others: Deadlines) -> Deadlines {
        Deadlines(
            connect: connect ?? others.connect, idle: idle ?? others.idle, attempt: attempt ?? others.attempt,
            total: total ?? others.total)
    }

    /// Whether there is no bound at all.
    public var isEmpty: Bool { connect == nil && idle == nil && attempt == nil && total == nil }
}

extension MoyaError {
    /// The error of a call that took longer than one of its ``Deadlines``.
    static func timedOut(after bound: Duration, of name: String, url: URL?) -> MoyaError {
        let failure = TransportFailure(.timeout(.total), message: "the \(name) deadline of \(bound) has passed")
        return .underlying(SessionError(transportFailure: failure, url: url), nil)
    }
}

extension Duration {
    /// In seconds, for what is measured so.
    var seconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }
}
