import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// The mutable state of a request, protected by its lock.
struct MutableState {
    var machine = RequestStateMachine()
    /// State that few requests have; `nil` without one.
    var rare: RareState?

    /// The transport that performs the request in place of the session's.
    var transport: (any Transport & AnyObject)?
    var exchange: (any TransportExchange)?
    /// `true` if the exchange has ended by itself; a handle that is returned later is ignored.
    var hasExchangeEnded = false

    /// Every `URLRequest` made so far, if any code reads them.
    var requests = InlineArray1<URLRequest>()
    /// `true` if a request was built, which is converted to a `URLRequest` when code reads it.
    var isBuilt = false
    /// The URL of the current or last exchange.
    var location: ExchangeLocation?
    var head: TransportResponseHead?
    var data: Data?
    var fileURL: URL?
    var error: SessionError?
    private(set) var storedMetrics: StoredMetrics?

    /// The time at which the request must be over; set when it is started.
    var deadline: Deadline?
    var decision = ResponseDecision.unasked

    var observer: (any RequestObserver)?
    var endObserver: (any RequestEndObserver)?
    var validators = InlineArray1<ResponseValidator>()
    var finishHandlers = InlineArray1<FinishHandler>()
    var counts = ByteCounts()
    /// `true` if no user code can access the request: its call has neither plugins nor interceptors.
    var isPrivate = false
    /// `true` if the request is over and its outcome is final.
    var isComplete = false
    /// `true` from the end until the last handler has run; a further one runs behind them.
    private(set) var isNotifying = false
}

extension MutableState {
    /// The validation of a response by its status code alone, which is the usual case and copies nothing; `nil` if
    /// validators read more of the response.
    var verdictOnStatus: StatusVerdict? {
        guard let status = head?.status, location != nil, validators.hasOneAtMost else { return nil }
        guard let validator = validators.first else { return StatusVerdict(error: nil) }
        return validator.verdict(on: status)
    }

    // MARK: Exchanges

    /// `true` if a handler has to decide about the response of an attempt.
    func awaitsDecision(about attempt: Int) -> Bool { decision == .awaited && isExchanging(attempt) }

    /// `true` while the transport must not read: the request is suspended, or a handler has to decide.
    var isOnHold: Bool { machine.state == .suspended || decision == .awaited }

    /// `true` while the body of a response arrives and no user code is waited for: the transport enforces the deadline.
    var isReceiving: Bool {
        machine.stage == .exchanging && head != nil && decision != .awaited && rare?.heldEnd == nil
    }

    /// Records a request, unless the result is final.
    mutating func record(_ made: URLRequest) {
        if !machine.isOver { requests.append(made) }
    }

    /// `true` while the exchange of an attempt may still change the result.
    func isExchanging(_ attempt: Int) -> Bool {
        machine.attempt == attempt && machine.stage == .exchanging && !machine.isEnding
    }

    /// The parameters of an exchange, except its request.
    struct ExchangeStart {
        /// The transport that performs the request in place of the session's.
        let transport: (any Transport & AnyObject)?
        let hasCURLHandlers: Bool
        /// `true` if sent bytes have an observer.
        let reportsSentBytes: Bool
    }

    mutating func beginExchange() -> ExchangeStart {
        exchange = nil
        hasExchangeEnded = false
        decision = .unasked
        rare?.isUnwanted = false
        rare?.isLate = false
        return ExchangeStart(
            transport: transport, hasCURLHandlers: rare.map { !$0.curlHandlers.isEmpty } ?? false,
            reportsSentBytes: counts.sent.isWatched || rare?.progressHandlers.sent != nil)
    }

    var metrics: TransportMetrics? { storedMetrics?.value }

    /// Records the metrics of an exchange.
    mutating func record(_ metrics: StoredMetrics) {
        if let last = self.metrics { makeRare().earlierMetrics.append(last) }
        storedMetrics = metrics
    }

    /// Ends the exchange of an attempt.
    mutating func endExchange(_ error: SessionError?) -> RequestStateMachine.Action {
        hasExchangeEnded = true
        rare?.headDeadline = nil
        let action = machine.exchangeEnded()
        switch action {
        // If the request was cancelled since, its error and the task's end are already set.
        case .none: break
        // A request that was cancelled while its exchange ended by itself is cancelled all the same.
        case .finish: self.error = error ?? self.error ?? .explicitlyCancelled
        default: self.error = error
        }
        return action
    }

    // MARK: The end

    /// The callbacks to notify of a request's end.
    struct End {
        let exchange: (any TransportExchange)?
        let observer: (any RequestEndObserver)?
        let hasHandlers: Bool
        let hasCURLHandlers: Bool
        /// The pending progress closures.
        let progress: DispatchGroup?
        /// The state that is released with this value: releasing user code may call the request, and must not happen
        /// under its lock.
        fileprivate let rest: Rest
    }

    /// The state that a finished request releases.
    fileprivate struct Rest {
        let transport: (any Transport & AnyObject)?
        let observer: (any RequestObserver)?
        let validators: InlineArray1<ResponseValidator>
        let rare: RareState.Rest?
    }

    /// Ends the request after an attempt; `nil` if a retrier has to decide.
    mutating func finish(_ attempt: Int, hasRetriers: Bool) -> End? {
        guard error == nil || !hasRetriers, machine.decidedToFinish(attempt: attempt) != .none else { return nil }
        return complete()
    }

    /// Releases the state that a finished request does not need.
    mutating func complete() -> End {
        isComplete = true
        // The body belongs only with the error of an attempt; a cancellation has none.
        if machine.state == .cancelled, case .explicitlyCancelled? = error { data = nil }
        isNotifying = !finishHandlers.isEmpty
        defer { validators = InlineArray1() }
        return End(
            exchange: exchange.take(), observer: endObserver.take(), hasHandlers: isNotifying,
            hasCURLHandlers: rare.map { !$0.curlHandlers.isEmpty } ?? false, progress: rare?.progressGroup,
            rest: Rest(
                transport: transport.take(), observer: observer.take(), validators: validators, rare: rare?.takeRest()))
    }

    /// Returns the handlers that wait for their call; `nil` once none is left.
    mutating func nextFinishHandlers() -> InlineArray1<FinishHandler>? {
        isNotifying = !finishHandlers.isEmpty
        defer { finishHandlers = InlineArray1() }
        return isNotifying ? finishHandlers : nil
    }
}

/// The result of validating a status code.
struct StatusVerdict {
    /// The error for a refused response; `nil` for an accepted one.
    let error: SessionError?
}

/// The state of a handler's decision about a response.
enum ResponseDecision {
    /// No handler was asked to decide.
    case unasked
    /// The transport waits for the handler's decision.
    case awaited
    /// The handler has allowed the response.
    case allowed
}

/// Observes, and may change, each `URLRequest` once per attempt, after every adapter and before it is sent.
package protocol RequestObserver: AnyObject, Sendable {
    /// Returns the request to send.
    func prepare(_ urlRequest: consuming URLRequest) -> URLRequest
    /// Notifies the observer that the request is about to be sent.
    func willSend(_ request: Request)
}

/// Observes the end of a request, before its finish handlers run.
package protocol RequestEndObserver: AnyObject, Sendable {
    /// Runs once, on the thread that ends the request: the transport's, which must not be blocked, or the canceller's;
    /// immediately if the request is already over.
    func didEnd(_ request: Request)

    /// Runs instead of ``didEnd(_:)`` once the response of a streamed request was accepted, on the same threads.
    ///
    /// - Parameter outcome: The head of the response, without a body.
    func didOpen(_ request: Request, _ outcome: RequestOutcome)
}

/// A closure that runs when a request is over.
///
/// The struct avoids the wrapper closure that a generic collection would allocate. The closure receives the request
/// instead of capturing it, since a request that is never started would keep itself alive.
struct FinishHandler: Sendable {
    let run: @Sendable (Request, RequestOutcome) -> Void
}

/// The closures that observe transferred bytes.
struct ProgressHandlers {
    var received: ByteCountHandler?
    var sent: ByteCountHandler?
}

package typealias ByteCountHandler = @Sendable (_ completed: Int64, _ total: Int64?) -> Void
