import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The decisions that the transport stack delegates to the attempt.
extension Attempt: ExchangeDelegate {
    var url: URL? { request.mutableState.withLock { $0.location }?.url }

    var credentialFields: Set<String> { request.mutableState.withLock { $0.rare?.credentialFields ?? [] } }

    // MARK: Redirects

    var decidesAboutRedirects: Bool { redirectHandler != nil }

    var followsNoRedirects: Bool {
        guard let redirector = redirectHandler as? Redirector, case .doNotFollow = redirector.behavior else {
            return false
        }
        return true
    }

    var staysAtOrigin: Bool { request.staysAtOrigin }

    var unixSocketOrigins: Set<HTTPOrigin> { core.unixSocketOrigins }

    private var redirectHandler: (any RedirectHandler)? {
        request.mutableState.withLock { $0.rare?.redirectHandler } ?? core.redirectHandler
    }

    func decide(
        about redirect: FollowUp, completion: @escaping @Sendable (Result<FollowUp?, any Error>) -> Void
    ) {
        if let deadline = request.deadline { core.watch(deadline) }
        guard !request.deliversInline else { return decide(about: redirect, completion) }
        core.rootQueue.async { self.decide(about: redirect, completion) }
    }

    private func decide(
        about redirect: FollowUp, _ completion: @escaping @Sendable (Result<FollowUp?, any Error>) -> Void
    ) {
        // User code is not called after the end of a request.
        guard !request.isOver else { return }
        guard case .redirect(let head, let url, _) = redirect.reason, let handler = redirectHandler,
            let proposed = urlRequest(of: redirect), let response = HTTPURLResponse(head: head, url: url)
        else { return completion(.success(redirect)) }
        let isAnswered = Once()
        handler.task(request, willBeRedirectedTo: proposed, for: response) { [self] answer in
            guard isAnswered.isFirst(), !request.isOver else { return }
            completion(.success(answer.map { followUp(redirect, proposed, changedTo: $0) }))
        }
    }

    /// The follow-up with the changes of a redirect handler.
    private func followUp(_ redirect: FollowUp, _ proposed: URLRequest, changedTo answer: URLRequest) -> FollowUp {
        let changed = HTTPRequest(answer)
        var next = redirect.request
        (next.method, next.url, next.fields, next.urlRequest) = (changed.method, changed.url, changed.fields, answer)
        next.body = followUpBody(of: redirect, proposed, changedTo: answer)
        let url = answer.url ?? redirect.url
        if hasLeftOrigin(url) { exchange.hasLeftOrigin = true }
        if exchange.hasLeftOrigin { next.authentication = nil }
        if let proposedURL = proposed.url, let url, !RedirectRules.isSameOrigin(proposedURL, url) {
            let credentials = core.credentialFields.adding(credentialFields)
            next.fields.removeAll {
                credentials.contains($0.name) && proposed.value(forHTTPHeaderField: $0.name) == $0.value
            }
        }
        let context = request.mutableState.withLock { AttemptContext($0) }
        core.complete(&next, context, hasLeftOrigin: exchange.hasLeftOrigin)
        return FollowUp(request: next, url: url, reason: redirect.reason)
    }

    private func followUpBody(
        of redirect: FollowUp, _ proposed: URLRequest, changedTo answer: URLRequest
    ) -> TransportBody {
        if let data = answer.httpBody { return .data(data) }
        if let stream = answer.httpBodyStream, stream !== proposed.httpBodyStream {
            // An unchanged length is that of the previous body.
            let name = "Content-Length"
            let length = answer.value(forHTTPHeaderField: name)
            let isOwn = length != proposed.value(forHTTPHeaderField: name)
            return .stream(UploadRequest.Stream(stream).reader, length: isOwn ? length.flatMap { Int64($0) } : nil)
        }
        // The body of an upload is not in its `URLRequest`, also not if the handler keeps the method of a redirect to GET.
        if request.isUpload, case .redirect(_, _, let dropped?) = redirect.reason,
            answer.httpMethod != proposed.httpMethod, answer.httpMethod != "HEAD"
        {
            return dropped
        }
        let becomesGET = answer.httpMethod != proposed.httpMethod && ["GET", "HEAD"].contains(answer.httpMethod)
        return becomesGET || proposed.httpBody != nil ? .none : redirect.request.body
    }

    /// `true` if a URL has another origin than the one to which the attempt was sent; credentials must not be sent
    /// there.
    private func hasLeftOrigin(_ url: URL?) -> Bool {
        guard let first = exchange.origin ?? self.url, let url else { return true }
        return !RedirectRules.isSameOrigin(first, url)
    }

    /// The `URLRequest` of a follow-up, with the fields of the previous request that apply to it.
    private func urlRequest(of followUp: FollowUp) -> URLRequest? {
        guard var next = ownRequest(of: followUp) ?? previousRequest(changedFor: followUp) else { return nil }
        for name in (next.allHTTPHeaderFields ?? [:]).keys where !followUp.request.fields.contains(name) {
            next.setValue(nil, forHTTPHeaderField: name)
        }
        // The answer to a challenge is a field of the exchange alone.
        if let authorization = followUp.request.fields.values(for: "authorization").first {
            next.setValue(authorization, forHTTPHeaderField: "Authorization")
        }
        return next
    }

    /// The `URLRequest` that a redirect handler has made of a follow-up, or that is sent again unchanged.
    private func ownRequest(of followUp: FollowUp) -> URLRequest? {
        followUp.request.urlRequest.flatMap { own in
            own.url == followUp.url && own.httpMethod == followUp.request.method ? own : nil
        }
    }

    private func previousRequest(changedFor followUp: FollowUp) -> URLRequest? {
        guard var next = exchange.followUp ?? request.lastRequest else { return nil }
        next.url = followUp.url
        if next.httpMethod != followUp.request.method { next.httpMethod = followUp.request.method }
        if case .redirect(_, _, _?) = followUp.reason {
            next.httpBody = nil
            next.httpBodyStream = nil
        }
        return next
    }

    // MARK: Follow-ups

    func willSend(_ followUp: inout FollowUp, after metrics: TransportMetrics?) throws {
        if case .redirect = followUp.reason {
            let method = exchange.followUp?.httpMethod ?? request.lastRequest?.httpMethod
            if let method, !HTTPRequest.isIdempotent(method) { exchange.hasHadEffect = true }
            if hasLeftOrigin(followUp.url) { exchange.hasLeftOrigin = true }
        }
        let next = urlRequest(of: followUp)
        exchange.followUp = next
        report(followUp.reason, next)
        record(metrics.map(StoredMetrics.init))
        try check(followUp.request, isAdapted: false)
        try core.checkCredentials(of: followUp.request)
        if exchange.origin == nil { exchange.origin = url }
        let location: ExchangeLocation =
            switch followUp.url {
            case let url?: exchange.hasLeftOrigin || exchange.hasHadEffect ? .final(url) : .url(url)
            case nil: .text(followUp.request.url)
            }
        let context = request.mutableState.withLock { state -> AttemptContext? in
            guard state.machine.stage == .exchanging, !state.machine.isEnding else { return nil }
            state.location = location
            state.makeRare().followUp = next
            state.head = nil
            return AttemptContext(state)
        }
        guard let context else { throw SessionError.explicitlyCancelled }
        core.bound(&followUp.request, context)
        // A redirect may have dropped the body, whose source would wait for the end of the next exchange.
        if case .stream = followUp.request.body {} else { request.releaseBody() }
        if request.stream != nil {
            followUp.request.timeouts.total = nil
            watchForHead()
        }
        exchange.received = 0
        exchange.expected = nil
    }

    private func report(_ reason: FollowUp.Reason, _ next: URLRequest?) {
        switch reason {
        case .redirect(let head, let url, _):
            if let next { report(.willPerformRedirection(head, url, to: next)) }
        case .challenge(let scheme): report(.willAnswerChallenge(scheme: scheme))
        case .refusedRange: break
        }
    }

    func replacement(for sent: HTTPRequest, refusedBy head: TransportResponseHead) -> HTTPRequest? {
        request.replacement(for: sent, refusedBy: head)
    }

    func refusal(toFollow url: URL) -> (any Error)? { request.refusal(toFollow: url) }

    // MARK: Challenges

    func credential(
        for scheme: String, realm: String?, of sent: HTTPRequest
    ) -> (user: String, password: String)? {
        guard let scheme = AuthScheme(rawValue: scheme),
            let credential = request.credential ?? core.storedCredential(for: url, scheme, realm: realm)
                ?? (exchange.origin ?? url)?.credential,
            let user = credential.user, let password = credential.password
        else { return nil }
        return (user, password)
    }

    // MARK: The cache

    var decidesAboutStoring: Bool { cachedResponseHandler != nil }

    /// A stored response that is validated in the background outlives the request, after which no event may follow.
    func willStore() {
        if !request.isOver { report(.willCacheResponse) }
    }

    func decide(aboutStoring response: CachedURLResponse, completion: @escaping @Sendable (CachedURLResponse?) -> Void)
    {
        guard let handler = cachedResponseHandler else { return completion(response) }
        guard !request.isCancelled else { return completion(nil) }
        guard let request = request as? DataRequest else {
            // A handler takes data requests only, and might keep this response out of the cache.
            let storesAll = if case .cache? = (handler as? ResponseCacher)?.behavior { true } else { false }
            return completion(storesAll ? response : nil)
        }
        let isAnswered = Once()
        handler.dataTask(request, willCacheResponse: response) { answer in
            if isAnswered.isFirst() { completion(answer) }
        }
    }
}

extension URL {
    /// The user and the password in the URL.
    fileprivate var credential: URLCredential? {
        guard let user = user(percentEncoded: false), let password = password(percentEncoded: false) else { return nil }
        return URLCredential(user: user, password: password, persistence: .none)
    }
}
