import Foundation
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

    var redirects = RedirectRules()
    /// Whether what follows is sent with the body of the request before it.
    var keepsBody = true
    var hasAnsweredChallenge = false

    var received: Int64 = 0
    var expected: Int64?
    var progressHandlers = ProgressHandlers()

    /// What is read and thrown away so that the connection can be used again.
    static let mostDiscardedBytes = 256 * 1024
}

extension Request: TransportSink {
    /// Hands the pending request to the transport.
    func startExchange() {
        let start = guarded.withLock { guarded -> (TransportRequest, any Transport, Int)? in
            guard let pending = guarded.pending else { return nil }
            guarded.pending = nil
            guarded.exchange = nil
            guarded.exchangeCount += 1
            receiving.progressHandlers = guarded.progressHandlers
            return (pending, guarded.transport ?? core.transport, guarded.exchangeCount)
        }
        guard case (var request, let transport, let count)? = start else { return }
        receiving.followUp = nil
        receiving.discarded = 0
        receiving.isCutOff = false
        receiving.failure = nil
        receiving.received = 0
        receiving.expected = nil
        request.reportsSentBytes = receiving.progressHandlers.sent != nil
        beginReceiving()
        tellCURLHandlers()

        let exchange = transport.start(request, delivering: self)
        let (isHeld, isOver) = guarded.withLock { guarded in
            // Its end, and even another exchange, may have come before its handle.
            let isCurrent = guarded.exchangeCount == count && guarded.machine.stage == .exchanging
            if isCurrent { guarded.exchange = exchange }
            return (isCurrent && guarded.machine.state == .suspended, guarded.machine.isOver)
        }
        if isHeld { exchange.pause() }
        if isOver { exchange.cancel() }
    }

    /// Takes an event of the exchange under way; for transports.
    public func receive(_ event: TransportEvent) -> TransportDemand {
        switch event {
        case .informational: break
        case .head(let head): receiveFirst(head)
        case .chunk(let bytes): receiveBody(bytes)
        case .sent(let bytes, let expected): receiving.progressHandlers.sent?(bytes, expected)
        case .end(let end): receiveEnd(end)
        }
        return .more
    }

    private func receiveFirst(_ head: TransportResponseHead) {
        if let followUp = followUp(to: head) {
            receiving.followUp = followUp
            return
        }
        guarded.withLock { $0.head = head }
        // A coded length says nothing of the bytes that will be counted.
        receiving.expected = head.value(for: "content-encoding") == nil ? head.contentLength : nil
        attempt { () throws(SessionError) in try receive(head: head) }
    }

    private func receiveBody(_ bytes: UnsafeRawBufferPointer) {
        guard receiving.failure == nil else { return }
        guard receiving.followUp == nil else { return discard(bytes) }
        attempt { () throws(SessionError) in try receive(bytes: bytes) }
        receiving.received += Int64(bytes.count)
        receiving.progressHandlers.received?(receiving.received, receiving.expected)
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
        if let followUp = receiving.followUp, end.failure == nil || receiving.isCutOff { return start(followUp) }
        conclude(end)
    }

    // MARK: Follow-ups

    private func followUp(to head: TransportResponseHead) -> URLRequest? {
        guard head.status >= 300 else { return nil }
        let (sent, credential, followsRedirects) = guarded.withLock {
            ($0.requests.last, $0.credential, $0.followsRedirects)
        }
        guard let sent else { return nil }
        if head.status == 401 { return answer(head, to: sent, with: credential) }
        guard followsRedirects else { return nil }
        switch receiving.redirects.decide(after: sent, status: head.status, location: head.value(for: "location")) {
        case .deliver: return nil
        case .follow(let next, let keepsBody):
            receiving.keepsBody = receiving.keepsBody && keepsBody
            return next
        case .refuse(let refusal):
            receiving.failure = refusal.error
            return nil
        }
    }

    /// The same request with a credential, when the server asks for one that was not refused before.
    private func answer(
        _ head: TransportResponseHead, to sent: URLRequest, with credential: URLCredential?
    ) -> URLRequest? {
        guard !receiving.hasAnsweredChallenge, let user = credential?.user, let password = credential?.password,
            !hasLeftOrigin(sent.url),
            BasicAuthentication.isOffered(in: head.values(for: "WWW-Authenticate"))
        else { return nil }
        receiving.hasAnsweredChallenge = true
        var request = sent
        request.setValue(
            BasicAuthentication.authorization(user: user, password: password), forHTTPHeaderField: "Authorization")
        return request
    }

    /// Whether a URL is of another origin than the request that the caller made: secrets are for that one alone.
    private func hasLeftOrigin(_ url: URL?) -> Bool {
        guard let first = guarded.withLock({ $0.requests.first?.url }), let url else { return true }
        return !RedirectRules.isSameOrigin(first, url)
    }

    private func start(_ followUp: URLRequest) {
        var urlRequest = followUp
        do throws(SessionError) {
            let body = receiving.keepsBody ? try makeBody(for: &urlRequest) : .none
            let pending = core.transportRequest(
                for: urlRequest, body: body, hasLeftOrigin: hasLeftOrigin(urlRequest.url))
            let mayStart = guarded.withLock { [urlRequest] guarded in
                guard guarded.machine.stage == .exchanging else { return false }
                guarded.requests.append(urlRequest)
                guarded.exchangeURL = urlRequest.url
                guarded.pending = pending
                return true
            }
            if mayStart { startExchange() }
        } catch {
            receiving.failure = error
            conclude(TransportEnd())
        }
    }
}
