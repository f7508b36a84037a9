import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One attempt of a request: it prepares what is sent, takes the events of the exchange, and finds what follows from its
/// end.
///
///     build -> adapt -> prepare -> send          before the exchange
///     receive                                    its events
///     conclude -> validate                       after the last of them
///
/// `@unchecked`: what changes is touched by the events of the exchange alone, one at a time, and by what comes before the
/// first and after the last of them.
final class Attempt: @unchecked Sendable {
    let request: Request
    /// Counts from 0.
    let number: Int
    /// The destination of the response's body.
    @exclusivity(unchecked) var body: any ResponseBody
    @exclusivity(unchecked) var exchange = ExchangeState()

    var core: SessionCore { request.core }

    init(_ number: Int, of request: Request) {
        self.request = request
        self.number = number
        body = request.stream.map(StreamBody.init) ?? request.makeResponseBody()
    }

    /// Hands a request to the transport stack.
    func start(_ start: MutableState.ExchangeStart, of sent: consuming HTTPRequest) {
        if start.hasCURLHandlers { request.notifyCURLHandlers() }
        if start.reportsSentBytes { sent.reportsSentBytes = true }
        let handle =
            start.transport?.start(sent, delivering: self) ?? core.stack.start(sent, delivering: self)
        // There is nothing to cancel or to pause of what was over before it returned.
        if handle === FinishedExchange.shared { return }
        let (isHeld, isAllowed, isEnding) = request.mutableState.withLock { state in
            // Its end may have come before its handle.
            let isCurrent = state.machine.attempt == number && state.machine.stage == .exchanging
            if isCurrent { state.exchange = handle }
            let isHeld = isCurrent && state.machine.state == .suspended
            let isUnwanted = state.machine.isEnding || isCurrent && state.isUnwanted
            let isEnding = isUnwanted && !state.hasExchangeEnded
            return (isHeld, isCurrent && !isHeld && state.decision == .allowed, isEnding)
        }
        if isHeld { handle.pause() }
        // The reader of a stream may have caught up before there was a handle.
        if isAllowed || !isHeld && request.stream?.isFull == false { handle.resume() }
        if isEnding { handle.cancel() }
    }

    func report(_ event: @autoclosure () -> RequestEvent) { request.report(event()) }
}

/// State that the events of an exchange change.
struct ExchangeState {
    /// The error of a part of the engine that could not handle the response.
    var failure: SessionError?
    var received: Int64 = 0
    var expected: Int64?
    /// The most bytes of the body that are taken; known once the head is.
    var limit = Int64.max
    /// The URL that the attempt was sent to, and what has followed from it; known once something has.
    var origin: URL?
    /// The last follow-up, as monitors and redirect handlers have seen it.
    var followUp: URLRequest?
}

extension Attempt: TransportSink {
    func receive(_ event: TransportEvent) -> TransportDemand {
        switch event {
        case .informational(let head): report(.didReceiveInformationalResponse(head))
        case .head(let head): return receive(head)
        case .chunk(let bytes):
            receive(bytes)
            return body.demand
        case .sent(let bytes, let expected): count(sent: bytes, expected: expected)
        case .end(let end): receive(end)
        }
        return .more
    }

    private func receive(_ head: TransportResponseHead) -> TransportDemand {
        let (url, hasHandler, limit) = request.mutableState.withLock { state in
            // The outcome of a request that is over stands.
            if !state.machine.isOver { state.head = head }
            return (state.location, state.responseHandler != nil, state.maximumResponseBytes)
        }
        let isGathered = !request.expectsLargeResponse && request.stream == nil
        exchange.limit = limit ?? (isGathered ? core.maximumResponseBytes : .max)
        // A coded length says nothing of the bytes that will be counted.
        exchange.expected = head.value(for: "content-encoding") == nil ? head.contentLength : nil
        handle { () throws(SessionError) in
            if let expected = exchange.expected, expected > exchange.limit, isFollowedByBody(head) {
                throw .responseTooLarge(maximumBytes: Int(clamping: exchange.limit))
            }
            let offset = try body.begin(head)
            guard offset > 0 else { return }
            exchange.received = offset
            exchange.expected = exchange.expected.map { $0 + offset }
        }
        let isStream = request.stream != nil
        guard hasHandler || isStream || request.monitor != nil, let url = url?.url else { return .more }
        report(.didReceiveResponse(head, url))
        if isStream { return validateStream(head) }
        return hasHandler ? request.notifyResponseHandler(of: head, url: url, in: self) : .more
    }

    /// `true` if the length that a head states is that of a body to come (RFC 9110 section 8.6).
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
        let (counted, handler) = request.mutableState.withLock {
            ($0.counts.received.update(received, expected), $0.progressHandlers.received)
        }
        counted?.update(completed: received, total: expected)
        handler?(received, expected)
        report(.didReceiveBodyBytes(bytes.count))
    }

    private func count(sent bytes: Int64, expected: Int64?) {
        let (counted, handler) = request.mutableState.withLock {
            ($0.counts.sent.update(bytes, expected), $0.progressHandlers.sent)
        }
        counted?.update(completed: bytes, total: expected)
        handler?(bytes, expected)
        report(.didSendBodyBytes(bytes, expected: expected))
    }

    /// Handles a part of the response; should that fail, nothing more of the response is wanted.
    private func handle(_ work: () throws(SessionError) -> Void) {
        do throws(SessionError) {
            try work()
        } catch {
            exchange.failure = error
            body.discard()
            // Its handle may still be on its way.
            request.mutableState.withLock { state in
                state.isUnwanted = true
                return state.exchange
            }?.cancel()
        }
    }

    private func receive(_ end: TransportEnd) {
        request.releaseBody()
        let isHeld = request.mutableState.withLock { state in
            guard state.decision == .awaited, end.failure == nil, !state.machine.isOver else { return false }
            state.heldEnd = (self, end)
            return true
        }
        if !isHeld { conclude(end) }
    }
}
