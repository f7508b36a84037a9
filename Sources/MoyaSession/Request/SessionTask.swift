public import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A snapshot of an attempt of a request, with the properties of `URLSessionTask`.
///
/// The value does not change during the attempt; read ``Request/task`` again for current counts.
public struct SessionTask: Sendable {
    /// The initial request of the attempt.
    public let originalRequest: URLRequest?
    /// The request as it was sent last, after redirects; otherwise ``originalRequest``.
    public let currentRequest: URLRequest?
    /// The response, an `HTTPURLResponse`; `nil` until its head has arrived.
    public var response: URLResponse? {
        head.flatMap { head in (location?.url).flatMap { HTTPURLResponse(head: head, url: $0) } }
    }
    /// The error of the exchange; `nil` without one, or if only the response was refused.
    public let error: (any Error)?
    /// The state of the attempt.
    public let state: URLSessionTask.State
    /// The identifier of the attempt, unique among all requests that exist at the same time.
    public let taskIdentifier: Int
    /// The number of received bytes of the response's body.
    public let countOfBytesReceived: Int64
    /// The number of sent bytes of the request's body; 0 if neither a progress handler nor a monitor observes them.
    public let countOfBytesSent: Int64
    /// The length of the response's body, or `NSURLSessionTransferSizeUnknown`.
    public let countOfBytesExpectedToReceive: Int64
    /// The length of the request's body, or `NSURLSessionTransferSizeUnknown`.
    public let countOfBytesExpectedToSend: Int64

    /// The number of the attempt, from 0; attempts that were not passed to the transport count.
    let attempt: Int
    // Weak, because the request retains its attempts.
    private weak var request: Request?
    fileprivate let location: ExchangeLocation?
    fileprivate let head: TransportResponseHead?

    fileprivate init(attempt: Int, of request: Request, _ state: inout MutableState) {
        self.request = request
        self.attempt = attempt
        originalRequest = request.lastRequest(in: &state)
        currentRequest = state.rare?.followUp ?? originalRequest
        location = state.location
        head = state.head
        error = state.error?.taskError
        self.state = state.taskState
        taskIdentifier = Int(bitPattern: ObjectIdentifier(request)) &+ attempt
        let received = state.head == nil ? ByteCount() : state.counts.received
        countOfBytesReceived = received.completed
        countOfBytesExpectedToReceive = received.total ?? state.head?.contentLength ?? -1
        countOfBytesSent = state.counts.sent.completed
        countOfBytesExpectedToSend = state.counts.sent.total ?? -1
    }

    /// A text of the app's own, kept with the attempt.
    public var taskDescription: String? {
        get { request?.mutableState.withLock { $0.rare?.taskDescriptions[attempt] } }
        nonmutating set {
            request?.mutableState.withLock { $0.makeRare().taskDescriptions[attempt] = newValue }
        }
    }

    /// The progress of the response's body.
    public var progress: Progress { request?.downloadProgress ?? Progress(totalUnitCount: -1) }

    /// Cancels the request; see ``Request/cancel()``.
    public func cancel() { request?.cancel() }

    /// Suspends the request; see ``Request/suspend()``.
    public func suspend() { request?.suspend() }

    /// Resumes the request; see ``Request/resume()``.
    public func resume() { request?.resume() }
}

extension Request {
    /// The attempts that were passed to the transport, in order.
    public var tasks: [SessionTask] {
        mutableState.withLock { state in
            var tasks = state.rare?.earlierTasks ?? []
            if let task = state.task(of: self) { tasks.append(task) }
            return tasks
        }
    }

    /// The requests of all attempts, each as it was sent last, after redirects.
    public var performedRequests: [URLRequest] { tasks.compactMap(\.currentRequest) }

    /// The first attempt; `nil` before one was passed to the transport.
    public var firstTask: SessionTask? {
        mutableState.withLock { state in state.rare?.earlierTasks.first ?? state.task(of: self) }
    }

    /// The last attempt; `nil` before one was passed to the transport.
    public var lastTask: SessionTask? {
        mutableState.withLock { state in state.task(of: self) ?? state.rare?.earlierTasks.last }
    }

    /// The last attempt; `nil` before one was passed to the transport.
    public var task: SessionTask? { lastTask }

    /// The initial request of the last attempt, as of a `URLSessionTask` in a redirect or cache handler.
    public var originalRequest: URLRequest? { task?.originalRequest }

    /// The request of the last attempt as it was sent last, as of a `URLSessionTask` in a redirect or cache handler.
    public var currentRequest: URLRequest? { task?.currentRequest }

    /// The attempt with a number; `nil` if it was not passed to the transport.
    func task(ofAttempt number: Int) -> SessionTask? { tasks.last { $0.attempt == number } }
}

extension MutableState {
    /// The head, the URL and the body of the response; before the next attempt is passed to the transport, those of the
    /// last one.
    ///
    /// A cancelled request has none of an earlier attempt: middleware would repeat a 503 that its caller has cancelled.
    var lastResponse: (head: TransportResponseHead?, location: ExchangeLocation?, data: Data?) {
        guard location == nil, machine.state != .cancelled, let last = rare?.earlierTasks.last else {
            return (head, location, data)
        }
        return (last.head, last.location, rare?.earlierData)
    }

    /// The current or last attempt; `nil` before it was passed to the transport.
    fileprivate mutating func task(of request: Request) -> SessionTask? {
        location == nil ? nil : SessionTask(attempt: machine.attempt, of: request, &self)
    }

    /// Stores an ended attempt for ``Request/tasks``, and resets the state for the next one.
    ///
    /// - Returns: The `Progress` objects to reset after unlocking.
    mutating func endTask(ofAttempt number: Int, of request: Request) -> [CountedProgress] {
        if location != nil {
            let task = SessionTask(attempt: number, of: request, &self)
            let rare = makeRare()
            rare.earlierTasks.append(task)
            rare.earlierData = data
        }
        error = nil
        head = nil
        rare?.trailers = []
        rare?.followUp = nil
        data = nil
        fileURL = nil
        location = nil
        return [counts.received.update(0, nil), counts.sent.update(0, nil)].compactMap { $0 }
    }

    fileprivate var taskState: URLSessionTask.State {
        switch machine.stage {
        case .deciding, .waiting, .over: .completed
        case .prepared: .suspended
        case .idle, .preparing, .exchanging, .delivering:
            switch machine.state {
            case .suspended: .suspended
            case .cancelled: .canceling
            case .initialized, .resumed, .finished: .running
            }
        }
    }
}

extension SessionError {
    /// The error that a `URLSessionTask` would have.
    fileprivate var taskError: (any Error)? {
        switch self {
        case .sessionTaskFailed(let error): error
        case .explicitlyCancelled: URLError(.cancelled)
        case .serverTrustEvaluationFailed: URLError(.cancelled)
        default: nil
        }
    }
}

extension SessionTask: MaskedDescription {
    /// The request line, the status code and the error, with secrets masked.
    public var description: String {
        let status = head.map { "status \($0.status)" } ?? "no response"
        let failure = error.map { ", \(SecretMask.standard.text(describing: $0))" } ?? ""
        return "SessionTask(\(requestText(originalRequest)), \(status)\(failure))"
    }
}
