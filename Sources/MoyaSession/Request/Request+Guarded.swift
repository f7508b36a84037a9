package import Foundation
package import MoyaTransport

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

extension Request {
    /// All that changes in the life of a request, under its one lock.
    package struct Guarded {
        var machine = RequestStateMachine()
        /// What few requests have; `nil` for the others.
        var extras: Extras?

        /// Carries the request instead of the session's transport.
        var transport: (any Transport)?
        /// What the transport is to be given once the request may start.
        var pending: TransportRequest?
        var exchange: (any TransportExchange)?
        /// Counts the exchanges of the request; an exchange handed back late is told from the one under way.
        var exchangeCount = 0
        /// Whether the last of them has ended by itself; a handle that comes after that is of no use.
        var hasExchangeEnded = false

        var requests = SmallList<SentRequest>()
        /// Where the attempt was sent, as the adapters had it, before any redirect.
        var origin: ExchangeURL?
        /// The URL of the exchange under way or just ended.
        package var exchangeURL: ExchangeURL?
        package var head: TransportResponseHead?
        package var data: Data?
        var fileURL: URL?
        package var error: SessionError?
        var metrics: TransportMetrics?

        /// When the request has to be over; known once it is started.
        var deadline: Deadline?
        var disposition = Disposition.unasked

        var observer: (any RequestObserver)?
        var endObserver: (any RequestEndObserver)?
        var waiter: Waiter?
        var followsRedirects = true
        var validators = SmallList<ResponseValidator>()
        var finishHandlers = SmallList<FinishHandler>()
        var counts = ByteCounts()
        /// Whether everyone who waited for the request's end was told of it, and what it came to stands.
        var isConcluded = false
    }
}

extension Request.Guarded {
    /// The last request made.
    package var sentRequest: SentRequest? { requests.last }

    /// The last `URLRequest` made.
    var lastRequest: URLRequest? { requests.last?.urlRequest }

    /// How the request ended; `nil` before that.
    var outcome: RequestOutcome? { isConcluded ? RequestOutcome(self) : nil }

    /// What is to be said of the response where nobody asks for more than its status code, which is the usual case and
    /// needs nothing copied; `nil` where somebody does.
    var verdictOnStatus: StatusVerdict? {
        guard let status = head?.status, exchangeURL != nil, validators.hasOneAtMost else { return nil }
        guard let validator = validators.first else { return StatusVerdict(error: nil) }
        return validator.verdict(on: status)
    }
}

/// What a validation says of a status code.
struct StatusVerdict {
    /// Why the response is not accepted.
    let error: SessionError?
}

/// Whether a handler has said what becomes of a response.
enum Disposition {
    /// Nobody was asked.
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
}

/// Code to run when a request is over.
///
/// A closure by itself would be wrapped in another one to be kept in a list of any elements.
struct FinishHandler: Sendable {
    let run: @Sendable (RequestOutcome) -> Void
}

/// How a request ended.
package struct RequestOutcome: Sendable {
    /// The last `URLRequest` made.
    package var request: URLRequest?
    /// The status and fields of the response, and the URL that gave it.
    package var head: TransportResponseHead?
    package var url: URL?
    /// The body; `nil` when no byte came or it went to a file.
    package var data: Data?
    /// Where a download is.
    package var fileURL: URL?
    package var error: SessionError?
    package var metrics: TransportMetrics?

    init(_ guarded: Request.Guarded) {
        request = guarded.lastRequest
        head = guarded.head
        url = guarded.exchangeURL?.url
        data = guarded.data
        fileURL = guarded.fileURL
        error = guarded.error
        metrics = guarded.metrics
    }
}

/// Who hears of bytes moving, and the objects that count them.
struct ProgressHandlers {
    var received: ProgressHandler?
    var sent: ProgressHandler?
}

package typealias ProgressHandler = @Sendable (_ completed: Int64, _ total: Int64?) -> Void
