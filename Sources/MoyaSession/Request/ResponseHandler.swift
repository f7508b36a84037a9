public import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A handler of a response whose head has arrived.
struct ResponseHandler: Sendable {
    let queue: DispatchQueue
    /// `true` if the transport waits for the handler's decision.
    let decides: Bool
    let perform: @Sendable (HTTPURLResponse, @escaping @Sendable (Request.ResponseDisposition) -> Void) -> Void
}

extension Request {
    /// The decision about a response whose head has arrived.
    public enum ResponseDisposition: Sendable {
        /// Reads the body.
        case allow
        /// Cancels the request.
        case cancel
    }

    /// Calls a closure on a queue when the head of the response has arrived; replaces an earlier closure.
    @discardableResult
    @preconcurrency
    public func onHTTPResponse(
        on queue: DispatchQueue = .main, perform handler: @escaping @Sendable (HTTPURLResponse) -> Void
    ) -> Self {
        setResponseHandler(ResponseHandler(queue: queue, decides: false) { response, _ in handler(response) })
    }

    /// Calls a closure on a queue when the head of the response has arrived, and reads no body until the closure's
    /// first decision; replaces an earlier closure.
    @discardableResult
    @preconcurrency
    public func onHTTPResponse(
        on queue: DispatchQueue = .main,
        perform handler:
            @escaping @Sendable (
                _ response: HTTPURLResponse,
                _ completionHandler: @escaping @Sendable (ResponseDisposition) -> Void
            ) -> Void
    ) -> Self {
        setResponseHandler(ResponseHandler(queue: queue, decides: true, perform: handler))
    }

    /// Runs an asynchronous closure when the head of the response has arrived, and reads no body until it returns;
    /// replaces an earlier closure.
    ///
    /// The closure runs in a task, which is not cancelled with the request.
    @_disfavoredOverload
    @discardableResult
    @preconcurrency
    public func onHTTPResponse(
        perform handler: @escaping @Sendable (_ response: HTTPURLResponse) async -> Void
    ) -> Self {
        onHTTPResponse { response async -> ResponseDisposition in
            await handler(response)
            return .allow
        }
    }

    // The default argument ranks this method behind the one above, since a closure without a `return` fits both.
    /// Runs an asynchronous closure when the head of the response has arrived, and reads no body until its decision;
    /// replaces an earlier closure.
    ///
    /// - Parameters:
    ///   - priority: The priority of the task in which the closure runs; the task is not cancelled with the request.
    ///   - handler: Decides about the response.
    @_disfavoredOverload
    @discardableResult
    @preconcurrency
    public func onHTTPResponse(
        priority: TaskPriority? = nil,
        perform handler: @escaping @Sendable (_ response: HTTPURLResponse) async -> ResponseDisposition
    ) -> Self {
        onHTTPResponse(on: underlyingQueue) { response, decide in
            _Concurrency.Task(priority: priority) { decide(await handler(response)) }
        }
    }

    private func setResponseHandler(_ handler: ResponseHandler) -> Self {
        replace(\.responseHandler, with: handler)
        return self
    }
}

extension Attempt {
    /// Calls the response handler, if there is one, and returns `.wait` if it has to decide.
    func notifyResponseHandler(of head: TransportResponseHead, url: URL) -> TransportDemand {
        let handler = request.mutableState.withLock { $0.rare?.responseHandler }
        guard let handler, let response = HTTPURLResponse(head: head, url: url) else { return .more }
        guard handler.decides else {
            handler.queue.async { handler.perform(response) { _ in } }
            return .more
        }
        request.mutableState.withLock { $0.decision = .awaited }
        let isAnswered = Once()
        handler.queue.async {
            handler.perform(response) { [self] disposition in
                guard isAnswered.isFirst() else { return }
                guard disposition == .allow, request.stream != nil else { return apply(disposition) }
                validateOnQueue(head)
            }
        }
        if let deadline = request.deadline { core.watch(deadline) }
        return .wait
    }

    /// Applies a decision about the response; a late one is ignored.
    func apply(_ disposition: Request.ResponseDisposition) {
        switch disposition {
        case .allow: allow()
        // In one step: the end of the exchange may come on another thread.
        case .cancel: request.end(with: .explicitlyCancelled) { $0.awaitsDecision(about: number) }
        }
    }

    private func allow() {
        let (isAllowed, held) = request.mutableState.withLock { state -> (Bool, HeldEnd?) in
            guard state.awaitsDecision(about: number) else { return (false, nil) }
            state.decision = .allowed
            return (true, state.rare?.heldEnd.take())
        }
        if let held { held.attempt.finish(held.end) } else if isAllowed { request.readOn() }
    }
}

/// The end of an exchange that waits for the handler's decision.
typealias HeldEnd = (attempt: Attempt, end: TransportEnd)
