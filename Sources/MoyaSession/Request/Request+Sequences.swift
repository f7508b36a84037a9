public import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

// The progress of a request, as sequences and as closures. Each is a monitor of the request: call it before the request is
// started.
extension Request {
    /// Makes a sequence of the progress of the request's body; the `Progress` is the same object each time.
    ///
    /// It does not start the request: call `resume()`, or add a response handler.
    public func uploadProgress(
        bufferingPolicy: StreamOf<Progress>.BufferingPolicy = .bufferingNewest(1)
    ) -> StreamOf<Progress> {
        StreamOf(endingWith: self, bufferingPolicy) { next, queue in
            uploadProgress(queue: queue) { next.yield($0) }
        }
    }

    /// Makes a sequence of the progress of the response's body; the `Progress` is the same object each time.
    ///
    /// It does not start the request: call `resume()`, or add a response handler.
    public func downloadProgress(
        bufferingPolicy: StreamOf<Progress>.BufferingPolicy = .bufferingNewest(1)
    ) -> StreamOf<Progress> {
        StreamOf(endingWith: self, bufferingPolicy) { next, queue in
            downloadProgress(queue: queue) { next.yield($0) }
        }
    }

    /// Makes a sequence of the `URLRequest` of every attempt, as it is sent; call it before the request is started.
    public func urlRequests(
        bufferingPolicy: StreamOf<URLRequest>.BufferingPolicy = .unbounded
    ) -> StreamOf<URLRequest> {
        StreamOf(of: self, bufferingPolicy) { event, _ in
            if case .didCreateURLRequest(let made) = event { made } else { nil }
        }
    }

    /// Makes a sequence of the attempts that are passed to the transport; call it before the request is started.
    public func urlSessionTasks(
        bufferingPolicy: StreamOf<SessionTask>.BufferingPolicy = .unbounded
    ) -> StreamOf<SessionTask> {
        StreamOf(of: self, bufferingPolicy) { event, request in
            if case .didCreateTask(let created) = event { request.task(ofAttempt: created.number) } else { nil }
        }
    }

    /// Makes a sequence of the cURL text of every attempt, secrets masked; call it before the request is started.
    public func cURLDescriptions(
        bufferingPolicy: StreamOf<String>.BufferingPolicy = .unbounded
    ) -> StreamOf<String> {
        StreamOf(of: self, bufferingPolicy) { event, request in
            guard case .didCreateURLRequest(let made) = event else { return nil }
            return CURLDescription.text(of: made, sentBy: request)
        }
    }

    /// Makes a sequence of the head of every response; call it before the request is started.
    public func httpResponses(
        bufferingPolicy: StreamOf<HTTPURLResponse>.BufferingPolicy = .unbounded
    ) -> StreamOf<HTTPURLResponse> {
        StreamOf(of: self, bufferingPolicy) { event, _ in
            guard case .didReceiveResponse(let head, let url) = event else { return nil }
            return HTTPURLResponse(head: head, url: url)
        }
    }

    /// Calls a closure on a queue with the `URLRequest` of every attempt, as it is sent; call it before the request is
    /// started.
    @discardableResult
    @preconcurrency
    public func onURLRequestCreation(
        on queue: DispatchQueue = .main, perform handler: @escaping @Sendable (URLRequest) -> Void
    ) -> Self {
        eventMonitor(
            EachEvent(queue: queue) { event, _ in if case .didCreateURLRequest(let made) = event { handler(made) } })
    }

    /// Calls a closure on a queue with every attempt that is passed to the transport; call it before the request is
    /// started.
    @discardableResult
    @preconcurrency
    public func onURLSessionTaskCreation(
        on queue: DispatchQueue = .main, perform handler: @escaping @Sendable (SessionTask) -> Void
    ) -> Self {
        eventMonitor(
            EachEvent(queue: queue) { event, request in
                guard case .didCreateTask(let created) = event else { return }
                if let task = request.task(ofAttempt: created.number) { handler(task) }
            })
    }
}

extension StreamOf where Element: Sendable {
    /// Makes a sequence of what the events of a request contain.
    fileprivate init(
        of request: Request, _ policy: BufferingPolicy,
        _ element: @escaping @Sendable (RequestEvent, Request) -> Element?
    ) {
        self.init(endingWith: request, policy) { next, queue in
            request.eventMonitor(
                EachEvent(queue: queue) { event, request in
                    if let element = element(event, request) { next.yield(element) }
                })
        }
    }

    /// Makes a sequence that ends with a request, behind the elements that wait on its queue.
    fileprivate init(
        endingWith request: Request, _ policy: BufferingPolicy,
        _ start: (Continuation, DispatchQueue) -> Void
    ) {
        let queue = DispatchQueue(label: "org.moya.session.events")
        let (elements, next) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: policy)
        self.init(elements)
        start(next, queue)
        request.onFinish { _ in queue.async { next.finish() } }
    }
}

/// Calls a closure with every event.
private struct EachEvent: EventMonitor {
    let queue: DispatchQueue
    let perform: @Sendable (RequestEvent, Request) -> Void

    func receive(_ event: RequestEvent, of request: Request) { perform(event, request) }
}
