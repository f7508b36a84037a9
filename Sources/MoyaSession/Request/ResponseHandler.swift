public import Foundation
import MoyaTransport
import Synchronization

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Says what becomes of a response whose head has arrived.
struct ResponseHandler: Sendable {
    let queue: DispatchQueue
    /// Whether the transport waits for the answer.
    let decides: Bool
    let perform: @Sendable (HTTPURLResponse, @escaping @Sendable (DataRequest.ResponseDisposition) -> Void) -> Void
}

extension DataRequest {
    /// What becomes of a response whose head has arrived.
    public enum ResponseDisposition: Sendable {
        /// Its body is read.
        case allow
        /// The request is cancelled.
        case cancel
    }

    /// Calls a closure on a queue as soon as the head of the response has arrived; the last closure given counts.
    @discardableResult
    @preconcurrency
    public func onHTTPResponse(
        on queue: DispatchQueue = .main, perform handler: @escaping @Sendable (HTTPURLResponse) -> Void
    ) -> Self {
        setResponseHandler(ResponseHandler(queue: queue, decides: false) { response, _ in handler(response) })
    }

    /// Calls a closure on a queue as soon as the head of the response has arrived, and reads no more until the closure
    /// has said what becomes of it; the last closure given counts, and of its answers the first.
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

    private func setResponseHandler(_ handler: ResponseHandler) -> Self {
        guarded.withLock { $0.responseHandler = handler }
        return self
    }
}

extension Request {
    /// Tells the response handler, where there is one, and says whether its answer has to be waited for.
    ///
    /// - Parameter end: The end of the exchange, where that came first: the answer then concludes it.
    func tellResponseHandler(
        of head: TransportResponseHead, url: URL, concluding end: TransportEnd? = nil
    ) -> TransportDemand {
        let handler = guarded.withLock { guarded in
            if guarded.responseHandler?.decides == true {
                guarded.disposition = .awaited
                guarded.heldEnd = end
            }
            return guarded.responseHandler
        }
        guard let handler, let response = HTTPURLResponse(head: head, url: url) else { return .more }
        handler.queue.async { handler.perform(response) { self.dispose($0) } }
        guard handler.decides else { return .more }
        if let deadline { core.watch(deadline) }
        return .wait
    }

    private func dispose(_ disposition: DataRequest.ResponseDisposition) {
        let waiting = guarded.withLock { guarded -> (exchange: (any TransportExchange)?, end: TransportEnd?)? in
            guard guarded.disposition == .awaited else { return nil }
            guarded.disposition = .allowed
            return (guarded.machine.state == .suspended ? nil : guarded.exchange, guarded.extras?.heldEnd.take())
        }
        // A second answer, or one that nobody waits for any more.
        guard let waiting else { return }
        switch disposition {
        case .allow: if let end = waiting.end { conclude(end) } else { waiting.exchange?.resume() }
        case .cancel: cancel()
        }
    }
}
