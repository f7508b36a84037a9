import Foundation
import MoyaTransport
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What follows an exchange within the same attempt: a redirect, an answer to a challenge.
extension Request {
    /// The request that answers a response which is not to be delivered.
    func followUp(to head: TransportResponseHead) -> URLRequest? {
        guard head.status >= 300 else { return nil }
        let (sent, credential, followsRedirects) = guarded.withLock {
            ($0.requests.last, $0.credential, $0.followsRedirects)
        }
        guard let sent else { return nil }
        if head.status == 401 { return answer(head, to: sent, with: credential) }
        if head.status == 416 { return followUp(afterRefusedPart: head, of: sent) }
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

    /// Sends a follow-up, unless the request is over.
    func start(_ followUp: URLRequest) {
        var urlRequest = followUp
        do throws(SessionError) {
            let body = receiving.keepsBody ? try makeBody(for: &urlRequest) : .none
            let (own, deadline) = guarded.withLock { ($0.timeouts, $0.deadline) }
            let pending = core.transportRequest(
                for: urlRequest, body: body, own: own, deadline: deadline,
                hasLeftOrigin: hasLeftOrigin(urlRequest.url))
            let mayStart = guarded.withLock { [urlRequest] guarded in
                guard guarded.machine.stage == .exchanging, !guarded.machine.isEnding else { return false }
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
