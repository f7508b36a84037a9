import Foundation
import MoyaTransport

/// An exchange and its follow-ups, which the sink sees as one.
///
/// `@unchecked`: mutable state is protected by the lock, or only accessed by the events of the exchange, one at a time.
final class FollowUpExchange: TransportSink, RelayedExchange, @unchecked Sendable {
    /// The treatment of the current response; indirect, because nearly every exchange only delivers.
    private indirect enum Step {
        case deliver
        /// Discard the body, and send the follow-up at the end.
        case follow(FollowUp)
        /// Hold the response until the delegate, which is called at the end, has decided; the rules may refuse the
        /// follow-up unless it is changed.
        case consult(FollowUp, RedirectRules.Refusal?, TransportResponseHead, held: Data)
        /// Deliver the head, discard the body, and end the exchange with the error.
        case refuse(any Error)
    }

    private struct State {
        var relay = ExchangeRelay()
        /// `true` while waiting for the delegate's decision, without an exchange.
        var isDeciding = false
        /// The rest of a held response whose receiver has not caught up with its head.
        var undelivered: (body: Data, end: TransportEnd)?
    }

    private let inner: any Transport
    private let credentials: CredentialFields
    private let handsOnDelegate: Bool
    private let state = Lock(State())

    // Accessed only by events, and between two exchanges.
    /// The receiver of events, until the end.
    @exclusivity(unchecked) private var sink: (any TransportSink)?
    @exclusivity(unchecked) private var delegate: (any ExchangeDelegate)?
    @exclusivity(unchecked) private var request: HTTPRequest
    @exclusivity(unchecked) private var step = Step.deliver
    @exclusivity(unchecked) private var rules = RedirectRules()
    /// The scheme of the last answer to a challenge.
    @exclusivity(unchecked) private var answered: AuthScheme?
    @exclusivity(unchecked) private var isCutOff = false
    @exclusivity(unchecked) private var discarded = 0
    /// The URLs of the first and the current request, known once a follow-up is possible.
    @exclusivity(unchecked) private var urls: (first: URL, current: URL)?

    /// The maximum number of bytes read of a discarded response, to reuse its connection.
    private static let mostDiscardedBytes = 256 * 1024
    /// The maximum number of bytes held of a response on which the delegate decides.
    private static let mostHeldBytes = 16 * 1024 * 1024

    init(
        request: HTTPRequest, inner: any Transport, credentials: CredentialFields, handsOnDelegate: Bool,
        sink: any TransportSink
    ) {
        self.request = request
        self.handsOnDelegate = handsOnDelegate
        delegate = request.delegate
        if !handsOnDelegate { self.request.delegate = nil }
        self.inner = inner
        self.credentials = credentials
        self.sink = sink
    }

    /// Passes the request to the inner transport.
    func start() { relay { inner.start(request, delivering: self) } }

    // MARK: Events

    func receive(_ event: TransportEvent) -> TransportDemand {
        switch event {
        case .head(let head):
            guard head.status >= 300 else { break }
            step = step(after: head)
            switch step {
            case .deliver, .refuse: break
            case .follow, .consult: return .more
            }
        case .chunk(let bytes):
            if case .deliver = step { break }
            keepBack(bytes)
            return .more
        case .end(let end):
            receive(end)
            return .more
        case .informational, .sent: break
        }
        return sink?.receive(event) ?? .more
    }

    private func keepBack(_ bytes: UnsafeRawBufferPointer) {
        if case .consult(let followUp, let refusal, let head, var held) = step {
            step = .deliver
            held.append(contentsOf: bytes)
            guard held.count > Self.mostHeldBytes else {
                return step = .consult(followUp, refusal, head, held: held)
            }
            step = .refuse(
                TransportFailure(
                    .other, message: "the response that redirects has more than \(Self.mostHeldBytes) bytes"))
            _ = sink?.receive(.head(head))
        }
        discarded += bytes.count
        guard discarded > Self.mostDiscardedBytes, !isCutOff else { return }
        isCutOff = true
        withRelay { $0.handle }?.cancel()
    }

    private func receive(_ end: TransportEnd) {
        switch step {
        case .deliver: finish(end)
        case .refuse(let error): finish(TransportEnd(failure: TransportFailure(wrapping: error), metrics: end.metrics))
        case .follow(let followUp):
            guard maySend(after: end) else { return finish(end) }
            send(followUp, after: end.metrics)
        case .consult(let redirect, let refusal, let head, let held):
            guard maySend(after: end) else { return deliver(head, held, end) }
            consult(about: redirect, refusal, head, held, end)
        }
    }

    /// `true` if a follow-up may be sent after an exchange with this end: a broken body, which is discarded, changes
    /// nothing in the head.
    private func maySend(after end: TransportEnd) -> Bool {
        isCutOff || end.failure?.kind.isOfBody ?? true
    }

    /// Delivers a held response; its rest follows once the receiver has caught up with the head.
    private func deliver(_ head: TransportResponseHead, _ body: Data, _ end: TransportEnd) {
        let before = withRelay { $0.resumptions }
        if sink?.receive(.head(head)) == .wait {
            let waits = state.withLock { state in
                // The receiver may have caught up meanwhile, on another thread.
                guard state.relay.resumptions == before, !state.relay.isCancelled else { return false }
                state.undelivered = (body, end)
                return true
            }
            if waits { return }
        }
        deliver(body, end)
    }

    private func deliver(_ body: Data, _ end: TransportEnd) {
        if !body.isEmpty { body.withUnsafeBytes { _ = sink?.receive(.chunk($0)) } }
        finish(end)
    }

    private func finish(_ end: TransportEnd) {
        withRelay { $0.end() }
        let sink = sink.take()
        delegate = nil
        request.delegate = nil
        _ = sink?.receive(.end(end))
    }

    // MARK: Follow-up requests

    private func step(after head: TransportResponseHead) -> Step {
        if head.status == 401 { return answer(to: head) }
        if let whole = delegate?.replacement(for: request, refusedBy: head) {
            return .follow(FollowUp(request: whole, url: currentURLs?.current, reason: .refusedRange))
        }
        guard RedirectRules.isRedirect(head.status), let url = currentURLs?.current else { return .deliver }
        func redirect(to next: HTTPRequest, _ new: URL, keepsBody: Bool) -> FollowUp {
            let dropped = keepsBody ? nil : request.body
            return FollowUp(request: next, url: new, reason: .redirect(head, from: url, droppedBody: dropped))
        }
        rules.credentials = credentials.adding(delegate?.credentialFields ?? [])
        rules.unixSocketOrigins = delegate?.unixSocketOrigins ?? []
        switch rules.decide(after: request, at: url, status: head.status, location: head.value(for: "location")) {
        case .deliver: return .deliver
        case .refuse(_, _, let new, _) where isKept(from: url, to: new),
            .follow(_, let new, _) where isKept(from: url, to: new):
            return .deliver
        case .refuse(let refusal, let next, let new, let keepsBody):
            guard delegate?.decidesAboutRedirects == true else { return .refuse(refusal.error) }
            return .consult(redirect(to: next, new, keepsBody: keepsBody), refusal, head, held: Data())
        case .follow(let next, let new, let keepsBody):
            // A body that can be read only once was read: only the redirect itself can be delivered.
            guard !keepsBody || request.body.mayBeSentAgain else {
                if delegate?.followsNoRedirects == true { return .deliver }
                return delegate?.refusal(toFollow: new).map { .refuse($0) } ?? .deliver
            }
            let followUp = redirect(to: next, new, keepsBody: keepsBody)
            guard delegate?.decidesAboutRedirects == true else { return .follow(followUp) }
            return .consult(followUp, nil, head, held: Data())
        }
    }

    /// `true` if a redirect leads away from the origin at which the exchange has to stay.
    private func isKept(from old: URL, to new: URL) -> Bool {
        delegate?.staysAtOrigin == true && !RedirectRules.isSameOrigin(old, new)
    }

    /// The same request with a credential, if the server requires one that was not refused before.
    ///
    /// Basic is answered here; the transport answers the other schemes.
    private func answer(to head: TransportResponseHead) -> Step {
        // Negotiate ignores user and password, so its refusal says nothing about them.
        guard answered == nil || answered == .negotiate, let delegate, let urls = currentURLs,
            RedirectRules.isSameOrigin(urls.first, urls.current)
        else { return .deliver }
        let lines = head.values(for: "WWW-Authenticate").map { AuthenticationChallenge.parse([$0]) }
        guard
            let scheme = AuthScheme.strongest(
                in: lines, except: answered, of: inner.authenticationSchemes, hasBody: request.body.length != 0),
            let (user, password) = delegate.credential(
                for: scheme.rawValue, realm: scheme.challenge(in: Array(lines.joined()))?.value(of: "realm"),
                of: request),
            request.body.mayBeSentAgain
        else { return .deliver }
        if let problem = CredentialText.problem(user: user, password: password, isBasic: scheme == .basic) {
            return .refuse(SessionError.urlRequestValidationFailed(reason: .invalidCredential(problem: problem)))
        }
        answered = scheme
        var next = request
        next.authentication = nil
        if let transportScheme = scheme.transportScheme {
            next.authentication = TransportAuthentication(scheme: transportScheme, user: user, password: password)
        } else {
            next.fields.set("Authorization", BasicAuthentication.authorization(user: user, password: password))
        }
        return .follow(FollowUp(request: next, url: urls.current, reason: .challenge(scheme: scheme.rawValue)))
    }

    private var currentURLs: (first: URL, current: URL)? {
        if let urls { return urls }
        guard let url = delegate?.url ?? URL(string: request.url) else { return nil }
        urls = (url, url)
        return urls
    }

    private func consult(
        about redirect: FollowUp, _ refusal: RedirectRules.Refusal?, _ head: TransportResponseHead, _ body: Data,
        _ end: TransportEnd
    ) {
        // From the lock on, a cancellation on another thread may end the exchange.
        let delegate = self.delegate
        let isCancelled = state.withLock { state in
            state.isDeciding = !state.relay.isCancelled
            return state.relay.isCancelled
        }
        guard !isCancelled, let delegate else { return finish(.cancelled) }
        delegate.decide(about: redirect) { [self] decision in
            let isAwaited = state.withLock { state in
                defer { state.isDeciding = false }
                return state.isDeciding
            }
            guard isAwaited else { return }
            switch decision {
            case .success(let next?):
                guard let refusal, refusal.applies(to: next.url) || !next.request.body.mayBeSentAgain else {
                    return send(next, after: end.metrics)
                }
                let failure = TransportFailure(wrapping: refusal.error)
                deliver(head, Data(), TransportEnd(failure: failure, metrics: end.metrics))
            case .success(nil): deliver(head, body, end)
            case .failure(let error):
                finish(TransportEnd(failure: TransportFailure(wrapping: error), metrics: end.metrics))
            }
        }
    }

    private func send(_ followUp: FollowUp, after metrics: TransportMetrics?) {
        if withRelay({ $0.isCancelled }) { return finish(.cancelled) }
        // Until its end, the earlier exchange may have read more of the body.
        guard followUp.request.body.rewind() else { return finish(TransportEnd(failure: .spentBody, metrics: metrics)) }
        var followUp = followUp
        do {
            try delegate?.willSend(&followUp, after: metrics)
        } catch {
            return finish(TransportEnd(failure: TransportFailure(wrapping: error)))
        }
        if let urls = currentURLs, let new = followUp.url { self.urls = (urls.first, new) }
        request = followUp.request
        if !handsOnDelegate { request.delegate = nil }
        step = .deliver
        discarded = 0
        isCutOff = false
        start()
    }

    // MARK: The handle

    func resume() {
        passOn(pauses: false)
        if let (body, end) = state.withLock({ $0.undelivered.take() }) { deliver(body, end) }
    }

    func cancel() {
        let (handle, endsNow) = state.withLock { state in
            state.relay.isCancelled = true
            defer { state.isDeciding = false }
            return (state.relay.handle, state.isDeciding || state.undelivered.take() != nil)
        }
        handle?.cancel()
        if endsNow { finish(.cancelled) }
    }

    func withRelay<Result: Sendable>(_ body: (inout ExchangeRelay) -> Result) -> Result {
        state.withLock { body(&$0.relay) }
    }
}

extension TransportFailure {
    /// A failure whose cause is an error of the session layer.
    init(wrapping error: any Error) {
        self = error as? TransportFailure ?? TransportFailure(.other, message: "\(error)", cause: error)
    }

    fileprivate static let spentBody = TransportFailure(
        .requestBody,
        message: "More of the body was sent after the response had begun, and the body can be read only once.")
}

extension TransportBody {
    /// `true` unless the body can be read only once, and was read.
    ///
    /// The body may still be sent, and a reader that can start anew must not do so within the earlier exchange.
    fileprivate var mayBeSentAgain: Bool {
        guard case .stream(let reader, _) = self else { return true }
        return (reader as? any RepeatableBodyReader)?.isRepeatable ?? reader.rewind()
    }

    /// Rewinds the body, to send it again; `false` if it can be read only once, and was read.
    fileprivate func rewind() -> Bool {
        if case .stream(let reader, _) = self { reader.rewind() } else { true }
    }
}
