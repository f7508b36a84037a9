import MoyaTransport

#if canImport(FoundationNetworking)
import Foundation
package import FoundationNetworking
#else
package import Foundation
#endif

/// All that changes in the life of a request, under its one lock.
struct MutableState {
    var machine = RequestStateMachine()
    /// State that few requests have; `nil` for the others.
    var rare: RareState?

    /// Carries the request instead of the session's transports.
    var transport: (any Transport & AnyObject)?
    /// The attempt and its request, sent once the request may start.
    var pending: (attempt: Attempt, request: HTTPRequest)?
    var exchange: (any TransportExchange)?
    /// `true` if the exchange has ended by itself; a handle that comes after that is of no use.
    var hasExchangeEnded = false

    /// Every `URLRequest` made so far, for those who looked.
    var requests = InlineArray1<URLRequest>()
    /// `true` if a request was made that has not been looked at.
    var isBuilt = false
    /// The URL of the exchange under way or just ended.
    var location: ExchangeLocation?
    var head: TransportResponseHead?
    var data: Data?
    var fileURL: URL?
    var error: SessionError?
    var metrics: TransportMetrics?

    /// The time at which the request has to be over; known once it is started.
    var deadline: Deadline?
    var decision = ResponseDecision.unasked

    var observer: (any RequestObserver)?
    var endObserver: (any RequestEndObserver)?
    var validators = InlineArray1<ResponseValidator>()
    var finishHandlers = InlineArray1<FinishHandler>()
    var counts = ByteCounts()
    /// `true` if everyone who waited for the request's end was notified, and its outcome stands.
    var isConcluded = false
}

extension MutableState {
    /// The verdict on a response by its status code alone, which is the usual case and needs nothing copied; `nil`
    /// where something reads more of it.
    var verdictOnStatus: StatusVerdict? {
        guard let status = head?.status, location != nil, validators.hasOneAtMost else { return nil }
        guard let validator = validators.first else { return StatusVerdict(error: nil) }
        return validator.verdict(on: status)
    }

    // MARK: Exchanges

    /// The input of an exchange, beside its request.
    struct ExchangeStart {
        /// Carries the request instead of the session's transports.
        let transport: (any Transport & AnyObject)?
        let hasCURLHandlers: Bool
        /// `true` if somebody watches the bytes of the request go.
        let reportsSentBytes: Bool
    }

    mutating func beginExchange() -> ExchangeStart {
        exchange = nil
        hasExchangeEnded = false
        decision = .unasked
        rare?.isUnwanted = false
        return ExchangeStart(
            transport: transport, hasCURLHandlers: rare.map { !$0.curlHandlers.isEmpty } ?? false,
            reportsSentBytes: counts.sent.isWatched || rare?.progressHandlers.sent != nil)
    }

    /// Keeps the metrics of an exchange.
    mutating func record(_ metrics: TransportMetrics) {
        if let last = self.metrics { earlierMetrics.append(last) }
        self.metrics = metrics
    }

    /// Takes the end of the exchange of an attempt.
    mutating func endExchange(_ error: SessionError?) -> RequestStateMachine.Action {
        hasExchangeEnded = true
        let action = machine.exchangeEnded()
        // Cancelled meanwhile, the request has its error, and the task its end.
        if action != .none { self.error = error }
        return action
    }

    // MARK: The end

    /// The callbacks of a request's end, and its outcome.
    struct End {
        let exchange: (any TransportExchange)?
        let observer: (any RequestEndObserver)?
        let handlers: InlineArray1<FinishHandler>
        let hasCURLHandlers: Bool
        /// The progress closures that are still to run.
        let progress: DispatchGroup?
    }

    /// Takes what a call wants of the request.
    mutating func join(accepting acceptable: StatusCodes?, carriedBy transport: (any Transport & AnyObject)?) {
        if let acceptable { validators.append(.statusCode(acceptable)) }
        if let transport { self.transport = transport }
    }

    /// Ends the request after an attempt that no retrier decides about; `nil` where one does.
    mutating func finish(_ attempt: Int, hasRetriers: Bool) -> End? {
        guard error == nil || !hasRetriers, machine.decidedToFinish(attempt: attempt) != .none else { return nil }
        return conclude()
    }

    /// Releases what a request that is over does not need.
    mutating func conclude() -> End {
        let end = End(
            exchange: exchange.take(), observer: endObserver.take(), handlers: finishHandlers,
            hasCURLHandlers: rare.map { !$0.curlHandlers.isEmpty } ?? false, progress: rare?.progressGroup)
        isConcluded = true
        pending = nil
        transport = nil
        observer = nil
        finishHandlers = InlineArray1()
        rare?.heldEnd = nil
        rare?.progressHandlers = ProgressHandlers()
        return end
    }
}

/// The verdict of a validation on a status code.
struct StatusVerdict {
    /// The reason for refusing the response.
    let error: SessionError?
}

/// The decision of a handler about a response.
enum ResponseDecision {
    /// No retrier was called.
    case unasked
    /// The handler has not answered yet, and the transport waits.
    case awaited
    /// The handler wants the response.
    case allowed
}

/// The last to see a `URLRequest` before it is sent, once per attempt, after every adapter.
package protocol RequestObserver: AnyObject, Sendable {
    /// Gives the request to send.
    func prepare(_ urlRequest: URLRequest) -> URLRequest
    /// Learns that the request is about to be sent as it is now.
    func willSend(_ request: Request)
}

/// Learns how a request ended, before its finish handlers do.
package protocol RequestEndObserver: AnyObject, Sendable {
    /// Runs once, where the end became known: on the transport's thread, which must not be blocked, on the
    /// canceller's, or at once.
    func didEnd(_ request: Request)

    /// Runs in place of ``didEnd(_:)`` once the response of a request that is streamed was accepted, in the same way.
    ///
    /// - Parameter outcome: The head, without a body.
    func didOpen(_ request: Request, _ outcome: RequestOutcome)
}

/// Code to run when a request is over.
///
/// A closure by itself would be wrapped in another one to be kept in a list of any elements. It is given the request, so
/// that it need not hold it: a request that is never started would keep itself alive.
struct FinishHandler: Sendable {
    let run: @Sendable (Request, RequestOutcome) -> Void
}

/// The closures that hear of bytes moving.
struct ProgressHandlers {
    var received: ProgressHandler?
    var sent: ProgressHandler?
}

package typealias ProgressHandler = @Sendable (_ completed: Int64, _ total: Int64?) -> Void
