public import Foundation

/// Why a call was not made, which waited until its client was online.
public enum OfflineError: Error {
    /// The client was not online in time.
    case stillOffline(after: Duration)
    /// What tells whether the client is online has ended, and said last that it is not, or nothing at all.
    case sequenceEnded
    /// What tells whether the client is online has failed.
    case sequenceFailed(any Error)
}

extension OfflineError: LocalizedError {
    /// What is wrong and what to do about it.
    public var errorDescription: String? {
        switch self {
        case .stillOffline(let limit):
            "The call was not made: there was no network for \(limit). Try again once there is, or wait longer with waitingAtMost:."
        case .sequenceEnded:
            "The call was not made: the sequence that tells whether there is a network has ended without saying yes. Give OfflineGate one that goes on."
        case .sequenceFailed(let error):
            "The call was not made: the sequence that tells whether there is a network has failed: \(error)."
        }
    }
}
