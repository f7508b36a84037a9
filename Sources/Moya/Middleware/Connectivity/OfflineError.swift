public import Foundation
import MoyaSession
import MoyaTransport

/// The reason that a call waiting for connectivity was not made.
public enum OfflineError: Error {
    /// The client was not online in time.
    case stillOffline(after: Duration)
    /// The connectivity sequence ended with "offline" as its last value, or without a value.
    case sequenceEnded
    /// The connectivity sequence threw an error.
    case sequenceFailed(any Error)
}

extension OfflineError: MaskedDescription {
    /// The message, with secrets masked.
    public var description: String { errorDescription ?? "" }
}

extension OfflineError: LocalizedError {
    /// Names the problem and its remedy.
    public var errorDescription: String? {
        switch self {
        case .stillOffline(let limit):
            "The call was not made: there was no network for \(limit). Try again once there is, or wait longer with waitingAtMost: of WaitForConnectivity, or atMost: of .waitForConnectivity."
        case .sequenceEnded:
            "The call was not made: the connectivity sequence ended without yielding true. Pass WaitForConnectivity one that does not end."
        case .sequenceFailed(let error):
            "The call was not made: the connectivity sequence failed: \(sentence(of: error))"
        }
    }
}
