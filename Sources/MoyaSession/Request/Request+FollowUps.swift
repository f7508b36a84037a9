import Foundation
import MoyaTransport
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What follows an exchange within the same attempt: a redirect, an answer to a challenge, the whole of a resource whose
/// part could not be had.
extension Request {
    /// The request that answers a response which is not to be delivered.
    func followUp(to head: TransportResponseHead) -> URLRequest? {
        guard head.status >= 300 else { return nil }
        let (sent, url, followsRedirects, isCarried) = guarded.withLock {
            ($0.lastRequest, $0.exchangeURL?.url, $0.followsRedirects, $0.transport != nil)
        }
        guard let sent, let url else { return nil }
        if head.status == 401 { return isCarried ? nil : answer(head, to: sent) }
        if head.status == 416 { return followUp(afterRefusedPart: head, of: sent) }
        guard followsRedirects else { return nil }
        switch receiving.redirects.decide(after: sent, status: head.status, location: head.value(for: "location")) {
        case .deliver: return nil
        case .follow(let next, let keepsBody):
            // What can be read once was read: the redirect is all that there is to deliver.
            guard !keepsBody || !receiving.keepsBody || canSendBodyAgain(of: sent) else { return nil }
            guard redirectHandler == nil else {
                receiving.proposal = Receiving.Proposal(request: next, keepsBody: keepsBody, head: head, url: url)
                return nil
            }
            report(.willPerformRedirection(head, url, to: next))
            receiving.keepsBody = receiving.keepsBody && keepsBody
            return next
        case .refuse(let refusal):
            receiving.failure = refusal.error
            return nil
        }
    }

    /// Whether a URL is of another origin than the one that the attempt was sent to: secrets are for that one alone.
    func hasLeftOrigin(_ url: URL?) -> Bool {
        guard let first = guarded.withLock({ $0.origin })?.url, let url else { return true }
        return !RedirectRules.isSameOrigin(first, url)
    }

    /// Sends a follow-up, unless the request is over.
    func start(_ followUp: URLRequest) {
        var urlRequest = followUp
        do throws(SessionError) {
            // A redirect handler may have given a request a body of its own in place of the one that was dropped.
            let body =
                receiving.keepsBody
                ? try makeBody(for: &urlRequest) : urlRequest.httpBody.map(TransportBody.data) ?? TransportBody.none
            let terms = guarded.withLock { AttemptTerms($0) }
            if !terms.isCarried { try check(urlRequest, isAdapted: false) }
            let hasLeftOrigin = hasLeftOrigin(urlRequest.url)
            var pending = core.transportRequest(
                for: urlRequest, body: body, own: terms.timeouts, deadline: terms.deadline,
                hasLeftOrigin: hasLeftOrigin)
            if !hasLeftOrigin { pending.authentication = receiving.authentication }
            let mayStart = guarded.withLock { [urlRequest, pending] guarded in
                guard guarded.machine.stage == .exchanging, !guarded.machine.isEnding else { return false }
                guarded.requests.append(.made(urlRequest))
                guarded.exchangeURL = urlRequest.url.map { .made($0) }
                guarded.pending = pending
                return true
            }
            if mayStart { startExchange() }
        } catch {
            receiving.failure = error
            conclude(TransportEnd())
        }
    }

    // MARK: Redirect handlers

    /// Decides about every redirect of this request, in place of the session's handler; the last one given counts.
    ///
    /// The handler is asked on the session's root queue.
    @discardableResult
    public func redirect(using handler: any RedirectHandler) -> Self {
        guarded.withLock { $0.redirectHandler = handler }
        return self
    }

    private var redirectHandler: (any RedirectHandler)? {
        guarded.withLock { $0.redirectHandler } ?? core.redirectHandler
    }

    /// Asks the handler about a redirect whose response has arrived whole, so that it can be delivered instead.
    func askRedirectHandler(about proposal: Receiving.Proposal, _ end: TransportEnd) {
        guard !deliversInline else { return ask(about: proposal, end) }
        core.rootQueue.async { self.ask(about: proposal, end) }
    }

    private func ask(about proposal: Receiving.Proposal, _ end: TransportEnd) {
        guard let handler = redirectHandler,
            let response = HTTPURLResponse(head: proposal.head, url: proposal.url)
        else { return conclude(end) }
        let isAnswered = Once()
        handler.task(self, willBeRedirectedTo: proposal.request, for: response) { [self] answer in
            guard isAnswered.isFirst(), !guarded.withLock({ $0.machine.isOver }) else { return }
            receiving.proposal = nil
            guard let next = answer else {
                report(.didReceiveResponse(proposal.head, proposal.url))
                let demand = tellResponseHandler(of: proposal.head, url: proposal.url, concluding: end)
                if demand == .more { conclude(end) }
                return
            }
            note(end.metrics)
            report(.willPerformRedirection(proposal.head, proposal.url, to: next))
            receiving.keepsBody = receiving.keepsBody && proposal.keepsBody
            guarded.withLock { if !$0.machine.isOver { $0.head = nil } }
            start(next)
        }
        if let deadline { core.watch(deadline) }
    }

    // MARK: Challenges

    /// The same request with a credential, when the server asks for one that was not refused before.
    ///
    /// Basic is answered here; the other schemes by the transport, which is told to carry them out.
    private func answer(_ head: TransportResponseHead, to sent: URLRequest) -> URLRequest? {
        guard !receiving.hasAnsweredChallenge, !hasLeftOrigin(sent.url), canSendBodyAgain(of: sent) else { return nil }
        let challenges = AuthenticationChallenge.parse(head.values(for: "WWW-Authenticate"))
        guard let scheme = AnsweredScheme.strongest(in: challenges),
            let credential = guarded.withLock({ $0.credential })
                ?? core.storedCredential(for: sent.url, scheme, in: challenges),
            let user = credential.user, let password = credential.password
        else { return nil }
        receiving.hasAnsweredChallenge = true
        report(.willAnswerChallenge(scheme: scheme.rawValue))
        var request = sent
        if let carried = scheme.carriedOutByTransport {
            receiving.authentication = TransportAuthentication(scheme: carried, user: user, password: password)
        } else {
            request.setValue(
                BasicAuthentication.authorization(user: user, password: password), forHTTPHeaderField: "Authorization")
        }
        return request
    }
}

/// Tells the first of several answers from the others.
final class Once: Sendable {
    private let isDone = Atomic(false)

    func isFirst() -> Bool { !isDone.exchange(true, ordering: .acquiringAndReleasing) }
}
