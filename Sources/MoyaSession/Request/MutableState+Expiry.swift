import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension MutableState {
    /// Ends the request if its deadline has passed.
    mutating func expire(at now: UInt64, of request: Request) -> RequestStateMachine.Action {
        // The attempt, or its time limit, may have ended since the deadline was found to be over.
        guard deadline?.isOver(at: now) == true else { return .none }
        // The transport ends a download, whose received part can be resumed once nothing more is written.
        guard request.downloadedFile == nil || !isReceiving else { return .none }
        let awaited = machine.stage.awaited
        let action = machine.expire()
        if machine.state == .cancelled {
            // The transport has not ended a download that its caller has cancelled.
            error = error ?? .explicitlyCancelled
        } else if action != .none {
            let failure = TransportFailure(
                .timeout(.total), message: "The request was not over at its deadline; \(awaited)")
            error = SessionError(transportFailure: failure, url: request.lastRequest(in: &self)?.url)
        }
        return action
    }

    /// Ends the attempt of a stream whose head came too late; `nil` without one, or if the whole request is over.
    mutating func endLateAttempt(at now: UInt64) -> (exchange: (any TransportExchange)?, end: HeldEnd?)? {
        guard let rare, let headDeadline = rare.headDeadline, headDeadline.isOver(at: now),
            deadline?.isOver(at: now) != true
        else { return nil }
        rare.headDeadline = nil
        rare.isLate = true
        // The handle may not be stored yet.
        rare.isUnwanted = true
        return (exchange, rare.heldEnd.take())
    }
}

extension RequestStateMachine.Stage {
    /// The event for which a request in this stage waits.
    fileprivate var awaited: String {
        switch self {
        case .preparing: "a request adapter has not called its completion."
        case .deciding: "a request retrier has not called its completion."
        case .waiting: "it waited for its next attempt."
        case .prepared: "it was held back by suspend()."
        case .delivering: "its body was being moved to its destination."
        case .idle, .exchanging, .over: "it waited for an answer."
        }
    }
}
