import Foundation
import MoyaSession

extension Deadlines {
    /// `true` if no limit is set.
    var isEmpty: Bool { connect == nil && idle == nil && attempt == nil && total == nil }
}

extension MoyaError {
    /// The error of a call that exceeded one of its `Deadlines`.
    static func timedOut(after bound: Duration, of name: String, url: URL?) -> MoyaError {
        let failure = TransportFailure(.timeout(.total), message: "the \(name) deadline of \(bound) has passed")
        return .underlying(SessionError(transportFailure: failure, url: url), nil)
    }
}
