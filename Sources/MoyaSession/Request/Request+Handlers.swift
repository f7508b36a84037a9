public import Foundation
package import MoyaTransport

extension Request {
    /// The fields that the session adds to every request that does not set them.
    package var sessionFields: [HTTPField] { core.defaultFields }

    func addResponseHandler(
        on queue: DispatchQueue, _ handler: @escaping @Sendable (Request, RequestOutcome) -> Void
    ) {
        // After a handler that serializes, a handler also passes the serialization queue, to preserve their order.
        let serialQueue = mutableState.withLock { $0.rare?.serializationQueue }
        addHandler { request, outcome in
            guard let serialQueue else { return queue.async { handler(request, outcome) } }
            serialQueue.async { queue.async { handler(request, outcome) } }
        }
    }

    /// Adds a handler that runs on the thread that ends the request, and starts the request if its session starts
    /// requests automatically.
    func addHandler(_ handler: @escaping @Sendable (Request, RequestOutcome) -> Void) {
        onFinish(handler)
        if startsImmediately ?? core.startsRequestsImmediately, isInitialized { startSoon() }
    }

    /// Starts the request asynchronously, unless it is suspended or over by then.
    ///
    /// The delay lets calls that are chained after the handler, such as a validation, take effect before the start.
    private func startSoon() {
        guard !StartHold.holds(self) else { return }
        // Cancelling all requests reaches those that are about to start.
        register()
        core.rootQueue.async { [self] in
            change(.didResume) { $0.machine.state == .initialized ? $0.machine.resume() : .none }
            // A suspended request starts when it is resumed, and must not be kept until then.
            guard isIdle else { return }
            core.unregister(self)
            // Another thread may have resumed it, and registered it before.
            if !isIdle { register() }
        }
    }

    private var isIdle: Bool { mutableState.withLock { $0.machine.stage == .idle } }

    // MARK: Progress

    /// Receives the progress of a body; see ``downloadProgress(queue:closure:)``.
    public typealias ProgressHandler = @Sendable (Progress) -> Void

    /// The progress of the response's body; the same object each time, updated on the transport's thread.
    ///
    /// Its total is -1 while the length is unknown.
    public var downloadProgress: Progress { mutableState.withLock { $0.counts.received.progress() } }

    /// The progress of the request's body; the same object each time, updated on the transport's thread.
    ///
    /// Its total is -1 while the length is unknown. Read it before the request is started, since bytes without an
    /// observer are not counted.
    public var uploadProgress: Progress { mutableState.withLock { $0.counts.sent.progress() } }

    /// Calls a closure on a queue as bytes of the response arrive; replaces an earlier closure.
    ///
    /// The `Progress` is the same object each time; its total is -1 while the length is unknown. Response handlers wait
    /// until the closure has run for the last time: do not block its queue until one of them has been called.
    @discardableResult
    @preconcurrency
    public func downloadProgress(
        queue: DispatchQueue = .main, closure: @escaping ProgressHandler
    ) -> Self {
        onReceivedBytes(progressHandler(on: queue, closure))
        return self
    }

    /// Calls a closure on a queue as bytes of the request's body are sent; replaces an earlier closure.
    ///
    /// For a data request, a first closure that is added after the start is called from the next attempt on, since bytes
    /// without an observer are not counted; the bytes of an upload always are. Response handlers wait for it as for that
    /// of ``downloadProgress(queue:closure:)``.
    @discardableResult
    @preconcurrency
    public func uploadProgress(
        queue: DispatchQueue = .main, closure: @escaping ProgressHandler
    ) -> Self {
        onSentBytes(progressHandler(on: queue, closure))
        return self
    }

    /// Makes a handler that calls a closure on a queue, always with the same `Progress`.
    private func progressHandler(
        on queue: DispatchQueue, _ closure: @escaping ProgressHandler
    ) -> ByteCountHandler {
        let queue = DispatchQueue(inOrderOn: queue)
        let progress = CountedProgress()
        let group = mutableState.withLock { $0.makeProgressGroup() }
        return { completed, total in
            queue.async(group: group) { closure(progress.update(completed: completed, total: total)) }
        }
    }

    /// Calls a handler for each received piece of the response's body, on the transport's thread.
    package func onReceivedBytes(_ handler: @escaping ByteCountHandler) {
        replace(\.progressHandlers.received, with: handler)
    }

    /// Calls a handler for each sent piece of the request's body, on the transport's thread.
    package func onSentBytes(_ handler: @escaping ByteCountHandler) {
        replace(\.progressHandlers.sent, with: handler)
    }

    /// Replaces user code; the old code is released after unlocking, since that may call the request.
    func replace<Value: Sendable>(
        _ part: any ReferenceWritableKeyPath<RareState, Value?> & Sendable, with value: Value
    ) {
        _ = mutableState.withLock { state -> Value? in
            // A request that is over would keep code that it never calls.
            guard !state.isComplete else { return value }
            let rare = state.makeRare()
            let old = rare[keyPath: part]
            rare[keyPath: part] = value
            return old
        }
    }

    // MARK: cURL

    /// The request as a curl command; a fixed text while there is no `URLRequest`.
    ///
    /// - Parameter showingSecrets: `true` to include credentials and cookies; `false` to mask them.
    public func cURLDescription(showingSecrets: Bool) -> String {
        cURLDescription(showingSecrets: showingSecrets, mask: .standard)
    }

    private func cURLDescription(showingSecrets: Bool, mask: SecretMask) -> String {
        lastRequest.map { CURLDescription.text(of: $0, sentBy: self, showsSecrets: showingSecrets, mask: mask) }
            ?? CURLDescription.unavailable
    }

    /// The request as a curl command with secrets masked; a fixed text while there is no `URLRequest`.
    public func cURLDescription() -> String { cURLDescription(showingSecrets: false) }

    /// Calls a handler with the curl command, once the request is about to be sent or can no longer be sent.
    ///
    /// The handler runs on the thread that sends or ends the request, asynchronously if that has already happened.
    @discardableResult
    @preconcurrency
    public func cURLDescription(calling handler: @escaping @Sendable (String) -> Void) -> Self {
        cURLDescription(mask: .standard, calling: handler)
    }

    /// Calls a handler with the curl command, as the method without a mask does.
    ///
    /// - Parameter mask: The mask of the URL, the fields and the body.
    @discardableResult
    package func cURLDescription(mask: SecretMask, calling handler: @escaping @Sendable (String) -> Void) -> Self {
        let notify: @Sendable (Request) -> Void = { handler($0.cURLDescription(showingSecrets: false, mask: mask)) }
        let isKnown = mutableState.withLock { state in
            let isKnown = state.machine.isOver || state.location != nil
            if !isKnown { state.makeRare().curlHandlers.append(notify) }
            return isKnown
        }
        if isKnown { core.rootQueue.async { notify(self) } }
        return self
    }

    /// Calls a handler with the curl command on a queue, once the request is about to be sent or can no longer be sent.
    @discardableResult
    @preconcurrency
    public func cURLDescription(
        on queue: DispatchQueue, calling handler: @escaping @Sendable (String) -> Void
    ) -> Self {
        cURLDescription { text in queue.async { handler(text) } }
    }

    func notifyCURLHandlers() {
        let handlers = mutableState.withLock { state in
            defer { state.rare?.curlHandlers = [] }
            return state.rare?.curlHandlers ?? []
        }
        for handler in handlers { handler(self) }
    }
}
