import Foundation
public import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// How long a call may take.
///
/// Deadlines can be set on the session, the provider, the target and the call; the nearest one to the call counts, each
/// bound by itself. To a call, `attempt` is the time from the sending of a request until its response is whole, and
/// `total` that from the call until its end, with everything that layers wait for and every attempt. These two are
/// measured by the provider's clock; one that is not positive has passed, and nothing is sent. A call that takes longer
/// ends with a `URLError` of code `timedOut` inside a `SessionError.sessionTaskFailed`.
public typealias Deadlines = RequestTimeouts

extension RequestTimeouts {
    /// Whether there is no bound at all.
    var isEmpty: Bool { self == RequestTimeouts() }
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
