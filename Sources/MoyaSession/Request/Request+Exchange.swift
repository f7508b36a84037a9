package import Foundation
public import MoyaTransport
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What the events of an exchange change, one at a time and with no lock: a transport never delivers two at once.
struct Receiving {
    /// The request that follows this one within the attempt, once the response that asks for it has ended.
    var followUp: URLRequest?
    /// Bytes of a response that nobody will see.
    var discarded = 0
    /// Whether that response was cut off because it is too long to be worth its connection.
    var isCutOff = false
    /// What a part of the engine could not do with the response.
    var failure: SessionError?

    /// A redirect that a handler is to decide about, once the response that asks for it is whole.
    var proposal: Proposal?

    var redirects = RedirectRules()
    /// Whether what follows is sent with the body of the request before it.
    var keepsBody = true
    var hasAnsweredChallenge = false
    /// How the transport has to authenticate.
    var authentication: TransportAuthentication?

    /// What the session's cache has to know; `nil` where there is none.
    var caching: Request.CachedExchange?

    var received: Int64 = 0
    var expected: Int64?

    /// Forgets what the exchange before has brought, and keeps what holds for the attempt.
    mutating func beginExchange() {
        followUp = nil
        proposal = nil
        caching = nil
        discarded = 0
        isCutOff = false
        failure = nil
        received = 0
        expected = nil
    }

    struct Proposal {
        let request: URLRequest
        let keepsBody: Bool
        let head: TransportResponseHead
        let url: URL
    }

    /// What is read and thrown away so that the connection can be used again.
    static let mostDiscardedBytes = 256 * 1024
}

extension Request: TransportSink {
    /// Hands the pending request to the transport.
    func startExchange() {
        let start = guarded.withLock { guarded in guarded.pending.take().map { guarded.beginExchange($0) } }
        if let start { startExchange(start) }
    }

    /// Hands a request to the transport, or to the cache that may answer it.
    func startExchange(_ start: Guarded.ExchangeStart) {
        receiving.beginExchange()
        beginReceiving()
        if start.hasCURLHandlers { tellCURLHandlers() }
        guard asksCache(isCarried: start.transport != nil) else { return send(start.request, start) }
        switch beginning(of: start.request) {
        case .send(let request): send(request, start)
        case .answer(let stored): StoredExchange.deliver(stored, to: self)
        case .refuse:
            receiving.failure = isNotCached
            conclude(TransportEnd())
        }
    }

    private func send(_ request: TransportRequest, _ start: Guarded.ExchangeStart) {
        var request = request
        request.expectsLargeResponse = expectsLargeResponse
        request.reportsSentBytes = start.reportsSentBytes || core.monitor != nil
        keep((start.transport ?? core.transport).start(request, delivering: self), start.count)
    }

    /// Takes the handle of an exchange, which may have ended already.
    private func keep(_ exchange: any TransportExchange, _ count: Int) {
        // There is nothing to cancel or to hold back of what was over before it returned.
        if exchange is StoredExchange { return }
        let (isHeld, isAllowed, isEnding) = guarded.withLock { guarded in
            // Its end, and even another exchange, may have come before its handle.
            let isCurrent = guarded.exchangeCount == count && guarded.machine.stage == .exchanging
            if isCurrent { guarded.exchange = exchange }
            let isHeld = isCurrent && guarded.machine.state == .suspended
            let isEnding = guarded.machine.isEnding && !guarded.hasExchangeEnded
            return (isHeld, isCurrent && !isHeld && guarded.disposition == .allowed, isEnding)
        }
        if isHeld { exchange.pause() }
        if isAllowed { exchange.resume() }
        if isEnding { exchange.cancel() }
    }

    /// Takes an event of the exchange under way; for transports.
    public func receive(_ event: TransportEvent) -> TransportDemand {
        switch event {
        case .informational(let head): report(.didReceiveInformationalResponse(head))
        case .head(let head): return receiveFirst(head)
        case .chunk(let bytes): receiveBody(bytes)
        case .sent(let bytes, let expected):
            let (counted, handler) = guarded.withLock {
                ($0.counts.sent.note(bytes, expected), $0.progressHandlers.sent)
            }
            counted?.update(completed: bytes, total: expected)
            handler?(bytes, expected)
            report(.didSendBodyBytes(bytes, expected: expected))
        case .end(let end): receiveEnd(end)
        }
        return .more
    }

    private func receiveFirst(_ head: TransportResponseHead) -> TransportDemand {
        keepCookies(of: head)
        if head.status == 304, let stored = confirmed(by: head) {
            let demand = deliver(stored.head)
            receive(whole: stored.body)
            return demand
        }
        if let followUp = followUp(to: head) {
            receiving.followUp = followUp
            return .more
        }
        return deliver(head)
    }

    /// Takes the head of the response that the caller gets.
    private func deliver(_ head: TransportResponseHead) -> TransportDemand {
        let (url, hasHandler) = guarded.withLock { guarded in
            // What a request came to stands.
            if !guarded.machine.isOver { guarded.head = head }
            return (guarded.exchangeURL, guarded.responseHandler != nil)
        }
        // A coded length says nothing of the bytes that will be counted.
        receiving.expected = head.value(for: "content-encoding") == nil ? head.contentLength : nil
        attempt { () throws(SessionError) in try receive(head: head) }
        guard hasHandler || core.monitor != nil, receiving.proposal == nil, let url = url?.url else { return .more }
        report(.didReceiveResponse(head, url))
        return hasHandler ? tellResponseHandler(of: head, url: url) : .more
    }

    /// Keeps what the response sets before anybody learns of it, and before a follow-up is to send it.
    private func keepCookies(of head: TransportResponseHead) {
        guard let cookies = core.cookies, head.value(for: "set-cookie") != nil else { return }
        let sent = guarded.withLock { $0.transport == nil ? $0.lastRequest : nil }
        if let sent { cookies.store(head, for: sent) }
    }

    private func receiveBody(_ bytes: UnsafeRawBufferPointer) {
        guard receiving.failure == nil else { return }
        guard receiving.followUp == nil else { return discard(bytes) }
        attempt { () throws(SessionError) in try receive(bytes: bytes) }
        noteReceived(bytes.count)
    }

    /// Takes a body that is in memory as a whole, in place of chunks of it: it is not copied where it is kept in memory.
    package func receive(whole body: Data) {
        guard receiving.failure == nil, receiving.followUp == nil, !body.isEmpty else { return }
        attempt { () throws(SessionError) in try receive(data: body) }
        noteReceived(body.count)
    }

    private func noteReceived(_ count: Int) {
        guard receiving.proposal == nil else { return }
        receiving.received += Int64(count)
        let (received, expected) = (receiving.received, receiving.expected)
        let (counted, handler) = guarded.withLock {
            ($0.counts.received.note(received, expected), $0.progressHandlers.received)
        }
        counted?.update(completed: received, total: expected)
        handler?(received, expected)
        report(.didReceiveBodyBytes(count))
    }

    /// Does something with the response; should it fail, nothing more of the response is wanted.
    private func attempt(_ work: () throws(SessionError) -> Void) {
        do throws(SessionError) {
            try work()
        } catch {
            receiving.failure = error
            guarded.withLock { $0.exchange }?.cancel()
        }
    }

    private func discard(_ bytes: UnsafeRawBufferPointer) {
        receiving.discarded += bytes.count
        guard receiving.discarded > Receiving.mostDiscardedBytes, !receiving.isCutOff else { return }
        receiving.isCutOff = true
        guarded.withLock { $0.exchange }?.cancel()
    }

    private func receiveEnd(_ end: TransportEnd) {
        if let followUp = receiving.followUp, end.failure == nil || receiving.isCutOff {
            note(end.metrics)
            return start(followUp)
        }
        if let proposal = receiving.proposal, end.failure == nil, receiving.failure == nil {
            return askRedirectHandler(about: proposal, end)
        }
        conclude(end)
    }
}

extension Request.Guarded {
    /// What an exchange begins with.
    struct ExchangeStart {
        let request: TransportRequest
        /// Carries the request instead of the session's transport.
        let transport: (any Transport)?
        /// Which exchange of the request it is.
        let count: Int
        /// Whether somebody wants to know how much of the body has left.
        let reportsSentBytes: Bool
        let hasCURLHandlers: Bool
    }

    mutating func beginExchange(_ request: TransportRequest) -> ExchangeStart {
        exchange = nil
        exchangeCount += 1
        hasExchangeEnded = false
        disposition = .unasked
        return ExchangeStart(
            request: request, transport: transport, count: exchangeCount,
            reportsSentBytes: counts.sent.isWatched || extras.map { $0.progressHandlers.sent != nil } ?? false,
            hasCURLHandlers: extras.map { !$0.curlHandlers.isEmpty } ?? false)
    }
}
