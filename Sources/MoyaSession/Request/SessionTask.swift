public import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// An attempt of a request as `URLSessionTask` would describe it, at the time at which it was read.
///
/// It is a value: it does not change as the attempt goes on. Read ``Request/task`` again for newer counts.
public struct SessionTask: Sendable {
    /// The request that the attempt began with.
    public let originalRequest: URLRequest?
    /// The response so far; an `HTTPURLResponse`, or `nil` before its head has arrived.
    public var response: URLResponse? {
        head.flatMap { head in location.flatMap { HTTPURLResponse(head: head, url: $0) } }
    }
    /// The error of the exchange; `nil` while there is none, and where the response itself was refused.
    public let error: (any Error)?
    /// The state of the attempt.
    public let state: URLSessionTask.State
    /// A number that no other attempt has, of any request that exists at the same time.
    public let taskIdentifier: Int
    /// The bytes of the response's body so far.
    public let countOfBytesReceived: Int64
    /// The bytes of the request's body so far; 0 where neither a progress handler nor a monitor counts them.
    public let countOfBytesSent: Int64
    /// The length of the response's body, or `NSURLSessionTransferSizeUnknown`.
    public let countOfBytesExpectedToReceive: Int64
    /// The length of the request's body, or `NSURLSessionTransferSizeUnknown`.
    public let countOfBytesExpectedToSend: Int64

    // The request keeps its attempts.
    private weak var request: Request?
    private let location: URL?
    private let head: TransportResponseHead?

    fileprivate init(of request: Request, _ state: inout MutableState) {
        self.request = request
        originalRequest = request.lastRequest(in: &state)
        location = state.location?.url
        head = state.head
        error = state.error?.taskError
        self.state = state.taskState
        taskIdentifier = Int(bitPattern: ObjectIdentifier(request)) &+ state.earlierTasks.count
        let received = state.head == nil ? ByteCount() : state.counts.received
        countOfBytesReceived = received.completed
        countOfBytesExpectedToReceive = received.total ?? state.head?.contentLength ?? -1
        countOfBytesSent = state.counts.sent.completed
        countOfBytesExpectedToSend = state.counts.sent.total ?? -1
    }

    /// The request that is under way now, after redirects.
    public var currentRequest: URLRequest? {
        guard var current = originalRequest, let location, location != current.url else { return originalRequest }
        current.url = location
        return current
    }

    /// The fraction of the response's body that has arrived.
    public var progress: Progress { request?.downloadProgress ?? Progress(totalUnitCount: -1) }

    /// Cancels the request; see ``Request/cancel()``.
    public func cancel() { request?.cancel() }

    /// Holds the request back; see ``Request/suspend()``.
    public func suspend() { request?.suspend() }

    /// Goes on with the request; see ``Request/resume()``.
    public func resume() { request?.resume() }
}

extension Request {
    /// One value for every attempt that was handed to the transport, in order.
    public var tasks: [SessionTask] {
        mutableState.withLock { state in
            var tasks = state.earlierTasks
            if let task = state.task(of: self) { tasks.append(task) }
            return tasks
        }
    }

    /// The first attempt; `nil` before one was handed to the transport.
    public var firstTask: SessionTask? {
        mutableState.withLock { state in state.earlierTasks.first ?? state.task(of: self) }
    }

    /// The last attempt; `nil` before one was handed to the transport.
    public var lastTask: SessionTask? {
        mutableState.withLock { state in state.task(of: self) ?? state.earlierTasks.last }
    }

    /// The last attempt; `nil` before one was handed to the transport.
    public var task: SessionTask? { lastTask }
}

extension MutableState {
    /// The attempt under way or just ended; `nil` before it was handed to the transport.
    fileprivate mutating func task(of request: Request) -> SessionTask? {
        location == nil ? nil : SessionTask(of: request, &self)
    }

    /// Keeps the attempt that has ended, for ``Request/tasks``, and makes room for the next one.
    mutating func endTask(of request: Request) {
        if let task = task(of: request) { earlierTasks.append(task) }
        error = nil
        head = nil
        rare?.trailers = []
        data = nil
        fileURL = nil
        location = nil
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
    /// The error that a task of URLSession would have ended with.
    fileprivate var taskError: (any Error)? {
        switch self {
        case .sessionTaskFailed(let error): error
        case .explicitlyCancelled: URLError(.cancelled)
        case .serverTrustEvaluationFailed: URLError(.cancelled)
        default: nil
        }
    }
}
