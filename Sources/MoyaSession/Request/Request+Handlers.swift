public import Foundation
package import MoyaTransport
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension Request {
    /// The fields that the session adds to every request that does not set them itself.
    package var sessionFields: [HTTPField] { core.defaultFields }

    func addResponseHandler(on queue: DispatchQueue, _ handler: @escaping @Sendable (RequestOutcome) -> Void) {
        onFinish { outcome in queue.async { handler(outcome) } }
        if core.startsRequestsImmediately, isInitialized { startSoon() }
    }

    /// Starts the request, unless it is held back or over by then.
    ///
    /// Not at once, so that what is chained after the handler, such as a validation, counts from the start.
    private func startSoon() {
        core.rootQueue.async { [self] in
            change(.didResume) { $0.machine.state == .initialized ? $0.machine.resume() : .none }
        }
    }

    // MARK: Progress

    /// How much of the response's body has arrived: one object, which changes on the transport's thread.
    ///
    /// Its total is -1 while the length is not known.
    public var downloadProgress: Progress { guarded.withLock { $0.counts.received.progress() } }

    /// How much of the request's body has left: one object, which changes on the transport's thread.
    ///
    /// Its total is -1 while the length is not known. Ask for it before the request is started: bytes that nobody asks
    /// about are not counted.
    public var uploadProgress: Progress { guarded.withLock { $0.counts.sent.progress() } }

    /// Calls a closure on a queue as bytes of the response arrive; the last closure given counts.
    ///
    /// The `Progress` is the same object each time; its total is -1 while the length is not known.
    @discardableResult
    @preconcurrency
    public func downloadProgress(
        queue: DispatchQueue = .main, closure: @escaping @Sendable (Progress) -> Void
    ) -> Self {
        let progress = CountedProgress()
        onReceivedBytes { completed, total in
            let number = progress.number()
            queue.async { closure(progress.update(completed: completed, total: total, numbered: number)) }
        }
        return self
    }

    /// Calls a closure on a queue as bytes of the body leave; the last closure given counts.
    ///
    /// One that is the first, and is given after the start, hears from the next attempt on: bytes that nobody asks about
    /// are not counted.
    @discardableResult
    @preconcurrency
    public func uploadProgress(
        queue: DispatchQueue = .main, closure: @escaping @Sendable (Progress) -> Void
    ) -> Self {
        let progress = CountedProgress()
        onSentBytes { completed, total in
            let number = progress.number()
            queue.async { closure(progress.update(completed: completed, total: total, numbered: number)) }
        }
        return self
    }

    /// Calls the handler for every piece of the response's body, on the transport's thread.
    package func onReceivedBytes(_ handler: @escaping @Sendable (_ completed: Int64, _ total: Int64?) -> Void) {
        guarded.withLock { $0.progressHandlers.received = handler }
    }

    /// Calls the handler for every piece of the request's body, on the transport's thread.
    package func onSentBytes(_ handler: @escaping @Sendable (_ completed: Int64, _ total: Int64?) -> Void) {
        guarded.withLock { $0.progressHandlers.sent = handler }
    }

    // MARK: cURL

    /// The request as a command line of curl; a fixed line as long as there is no `URLRequest`.
    ///
    /// - Parameter showingSecrets: Whether credentials and cookies are written out; else they are masked.
    public func cURLDescription(showingSecrets: Bool) -> String { describe(showingSecrets: showingSecrets) }

    /// The request as a command line of curl, secrets masked; a fixed line as long as there is no `URLRequest`.
    public func cURLDescription() -> String { describe(showingSecrets: false) }

    private func describe(showingSecrets: Bool) -> String {
        let (request, credential) = guarded.withLock { ($0.lastRequest, $0.credential) }
        guard let request else { return CURLDescription.unavailable }
        var headers = HTTPHeaders(core.defaultFields.map { HTTPHeader(name: $0.name, value: $0.value) })
        for (name, value) in (request.allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key }) {
            headers.update(name: name, value: value)
        }
        let known = credential.flatMap { credential in
            credential.user.flatMap { user in credential.password.map { (user: user, password: $0) } }
        }
        return CURLDescription.text(
            method: request.httpMethod, url: request.url, headers: headers, body: request.httpBody, credential: known,
            cookies: core.cookies?.cookieHeader(for: request), showsSecrets: showingSecrets)
    }

    /// Calls a handler with the cURL text, once the request is about to be sent or is known never to be.
    ///
    /// The handler runs on the thread where that became known, asynchronously when it is known already.
    @discardableResult
    @preconcurrency
    public func cURLDescription(calling handler: @escaping @Sendable (String) -> Void) -> Self {
        let isKnown = guarded.withLock { guarded in
            let isKnown = guarded.machine.isOver || guarded.exchangeCount > 0
            if !isKnown { guarded.curlHandlers.append(handler) }
            return isKnown
        }
        if isKnown { core.rootQueue.async { handler(self.cURLDescription()) } }
        return self
    }

    /// The same, on a queue.
    @discardableResult
    @preconcurrency
    public func cURLDescription(
        on queue: DispatchQueue, calling handler: @escaping @Sendable (String) -> Void
    ) -> Self {
        cURLDescription { text in queue.async { handler(text) } }
    }

    func tellCURLHandlers() {
        let handlers = guarded.withLock { guarded in
            defer { guarded.extras?.curlHandlers = [] }
            return guarded.curlHandlers
        }
        guard !handlers.isEmpty else { return }
        let text = cURLDescription()
        for handler in handlers { handler(text) }
    }
}
