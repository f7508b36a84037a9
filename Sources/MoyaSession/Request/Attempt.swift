import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An attempt of a request: prepares the request, handles the events of its exchange, and determines the result.
///
///     build -> adapt -> prepare -> send          before the exchange
///     receive                                    its events
///     finish -> validate                         after the last of them
///
/// `@unchecked`: only one step at a time changes the state: before the exchange, at each of its events, and after the last.
/// While the validation of a stream's head runs elsewhere, no event but a failed end comes, and it changes other state.
final class Attempt: @unchecked Sendable {
    let request: Request
    /// The number of the attempt, from 0.
    let number: Int
    /// The destination of the response's body.
    @exclusivity(unchecked) var body: any ResponseBody
    @exclusivity(unchecked) var exchange = ExchangeState()
    /// The subscribers of events; `nil` without any.
    ///
    /// Read once per attempt, since each look takes a lock.
    let monitor: CompositeEventMonitor?
    /// Decides what is cached: the request's own handler, otherwise the session's.
    @exclusivity(unchecked) var cachedResponseHandler: (any CachedResponseHandler)?

    var core: SessionCore { request.core }

    init(_ number: Int, of request: Request) {
        self.request = request
        self.number = number
        monitor = request.monitor
        body = request.stream.map(StreamBody.init) ?? request.makeResponseBody()
    }

    /// Passes a request to the transport stack.
    func start(_ start: MutableState.ExchangeStart, of sent: consuming HTTPRequest) {
        if start.hasCURLHandlers { request.notifyCURLHandlers() }
        if start.reportsSentBytes { sent.reportsSentBytes = true }
        if request.stream != nil { watchForHead() }
        if case .stream = sent.body { exchange.sendsStream = true }
        let handle =
            start.transport?.start(sent, delivering: self) ?? core.stack.start(sent, delivering: self)
        // An exchange that was over before `start` returned can be neither cancelled nor paused.
        if handle === FinishedExchange.shared { return }
        let (isHeld, isFree, isAllowed, isEnding) = request.mutableState.withLock { state in
            // The exchange may have ended before its handle was returned.
            let isCurrent = state.machine.attempt == number && state.machine.stage == .exchanging
            if isCurrent { state.exchange = handle }
            let isHeld = isCurrent && state.machine.state == .suspended
            let isFree = isCurrent && !state.isOnHold
            let isUnwanted = state.machine.isEnding || isCurrent && state.rare?.isUnwanted == true
            let isEnding = isUnwanted && !state.hasExchangeEnded
            return (isHeld, isFree, isFree && state.decision == .allowed, isEnding)
        }
        // The reader of a stream may have caught up before the handle was stored.
        if isHeld || isAllowed || isFree && request.hasReaderCaughtUp {
            handle.setPaused { request.mutableState.withLock { $0.isOnHold } }
        }
        if isEnding { handle.cancel() }
    }

    func report(_ event: @autoclosure () -> RequestEvent) {
        if let monitor { request.deliver(event(), to: monitor) }
    }
}

/// A prepared attempt and its request.
typealias PendingExchange = (attempt: Attempt, request: HTTPRequest)

/// State that changes with the events of an exchange.
struct ExchangeState {
    /// The error of handling the response; `nil` without one.
    var failure: SessionError?
    var received: Int64 = 0
    var expected: Int64?
    /// The maximum number of body bytes; known once the head has arrived.
    var limit = Int64.max
    /// The URL to which the attempt was sent; set at the first follow-up.
    var origin: URL?
    /// `true` if a redirect to another origin was followed, so that credentials do not come back.
    var hasLeftOrigin = false
    /// `true` if a request that is not idempotent was answered with a redirect, and has had its effect.
    var hasHadEffect = false
    /// The last follow-up, as seen by monitors and redirect handlers.
    var followUp: URLRequest?
    /// `true` if a decision about the response was awaited when its head had arrived.
    var isUndecided = false
    /// `true` if the body is read from a source that is released at the end.
    var sendsStream = false
    /// The seconds within which the head of a streamed response has to be accepted.
    var headLimit: Double?
    /// The error of the validation of a streamed response's head.
    var refusal: SessionError?
}

extension Attempt: TransportSink {
    func receive(_ event: TransportEvent) -> TransportDemand {
        switch event {
        case .informational(let head): if !request.isOver { report(.didReceiveInformationalResponse(head)) }
        case .head(let head):
            let demand = receive(head)
            exchange.isUndecided = demand == .wait
            return demand
        case .chunk(let bytes):
            receive(bytes)
            return body.demand
        case .sent(let bytes, let expected): count(sent: bytes, expected: expected)
        case .end(let end): receive(end)
        }
        return .more
    }

    private func receive(_ head: TransportResponseHead) -> TransportDemand {
        let (url, hasHandler, limit, isOver) = request.mutableState.withLock { state in
            // The result of a request that is over does not change.
            let isOver = state.machine.isOver
            if !isOver { state.head = head }
            return (state.location, state.rare?.responseHandler != nil, state.rare?.maximumResponseBytes, isOver)
        }
        guard !isOver else {
            // Its bytes are ignored.
            exchange.failure = .explicitlyCancelled
            return .more
        }
        let isInMemory = !request.expectsLargeResponse && request.stream == nil
        exchange.limit = limit ?? (isInMemory ? core.maximumResponseBytes : .max)
        // A length before decoding does not predict the number of decoded bytes.
        exchange.expected = head.isDecoded ? nil : head.contentLength
        handle { () throws(SessionError) in
            if let expected = exchange.expected, expected > exchange.limit, isFollowedByBody(head) {
                throw .responseTooLarge(maximumBytes: Int(clamping: exchange.limit))
            }
            let offset = try body.receive(head)
            guard offset > 0 else { return }
            exchange.received = offset
            exchange.expected = exchange.expected.flatMap { rest in
                let (sum, overflows) = rest.addingReportingOverflow(offset)
                return overflows ? nil : sum
            }
        }
        let isStream = request.stream != nil
        guard hasHandler || isStream || monitor != nil, let url = url?.url else { return .more }
        report(.didReceiveResponse(head, url))
        guard exchange.failure == nil else { return .more }
        let demand = hasHandler ? notifyResponseHandler(of: head, url: url) : .more
        // A handler that decides about a stream does so before its validation.
        return isStream && demand == .more ? validateStream(head) : demand
    }

    /// `true` if the length in a head is that of a following body (RFC 9110 section 8.6).
    private func isFollowedByBody(_ head: TransportResponseHead) -> Bool {
        guard head.status != 204, head.status != 304 else { return false }
        return (exchange.followUp ?? request.lastRequest)?.httpMethod != "HEAD"
    }

    private func receive(_ bytes: UnsafeRawBufferPointer) {
        guard exchange.failure == nil else { return }
        handle { () throws(SessionError) in
            guard Int64(bytes.count) <= exchange.limit - exchange.received else {
                throw .responseTooLarge(maximumBytes: Int(clamping: exchange.limit))
            }
            try body.append(bytes)
        }
        guard exchange.failure == nil else { return }
        exchange.received += Int64(bytes.count)
        let (received, expected) = (exchange.received, exchange.expected)
        guard
            report(
                received, expected,
                to: { ($0.counts.received.update(received, expected), $0.rare?.progressHandlers.received) })
        else { return }
        report(.didReceiveBodyBytes(bytes.count))
    }

    private func count(sent bytes: Int64, expected: Int64?) {
        guard report(bytes, expected, to: { ($0.counts.sent.update(bytes, expected), $0.rare?.progressHandlers.sent) })
        else { return }
        report(.didSendBodyBytes(bytes, expected: expected))
    }

    /// Reports progress; `false` if the request is over.
    private func report(
        _ completed: Int64, _ total: Int64?,
        to observers: (inout sending MutableState) -> (CountedProgress?, ByteCountHandler?)
    ) -> Bool {
        let changed = request.mutableState.withLock { state -> (CountedProgress?, ByteCountHandler?, DispatchGroup?)? in
            guard !state.machine.isOver else { return nil }
            let (counted, handler) = observers(&state)
            // Handlers of an end on another thread then come behind this report.
            let group = handler == nil ? nil : state.rare?.progressGroup
            group?.enter()
            return (counted, handler, group)
        }
        guard let (counted, handler, group) = changed else { return false }
        counted?.update(completed: completed, total: total)
        handler?(completed, total)
        group?.leave()
        return true
    }

    /// Handles a part of the response; an error ends the exchange.
    private func handle(_ work: () throws(SessionError) -> Void) {
        do throws(SessionError) {
            try work()
        } catch {
            exchange.failure = error
            body.discard()
            // The handle may not be stored yet.
            request.mutableState.withLock { state in
                state.makeRare().isUnwanted = true
                return state.exchange
            }?.cancel()
        }
    }

    private func receive(_ end: TransportEnd) {
        if exchange.sendsStream { request.releaseBody() }
        guard exchange.isUndecided else { return finish(end) }
        let isHeld = request.mutableState.withLock { state in
            let isUnwanted = state.rare?.isUnwanted == true || state.machine.isEnding
            guard state.decision == .awaited, end.failure == nil, !isUnwanted else { return false }
            state.makeRare().heldEnd = (self, end)
            return true
        }
        if !isHeld { finish(end) }
    }
}
