import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The `URLSession` of one transport, its delegate, and its exchanges.
///
/// `@unchecked`: the constants are set in the initializer; everything else is confined to the serial queue on which
/// `URLSession` also calls its delegate.
final class URLSessionWire: NSObject, @unchecked Sendable {
    let settings: URLSessionSettings
    let queue = DispatchQueue(label: "org.moya.urlsession")

    /// Created for the first exchange, and never used after invalidation: Foundation would trap.
    private var session: URLSession?
    private var isClosed = false
    private var underWay: [ObjectIdentifier: URLSessionExchange] = [:]
    /// The exchanges that have a task, by its number.
    private var exchangesByTask: [Int: URLSessionExchange] = [:]
    private let deadlines: ExchangeTimer
    /// The refusals of servers, by their hosts, until they are accepted.
    var refusals: [String: TransportFailure] = [:]
    #if canImport(Darwin)
    /// The bodies of cancelled tasks, by their numbers: a stream that is closed early looks complete to `URLSession`.
    private var stopped: [Int: UploadBody] = [:]
    #else
    private let streams = Lock<[Int: @Sendable () -> InputStream?]>([:])
    #endif

    init(_ settings: URLSessionSettings) {
        self.settings = settings
        deadlines = ExchangeTimer(queue: queue)
    }

    // MARK: Opening and closing

    func start(_ exchange: URLSessionExchange) {
        queue.async { exchange.start() }
    }

    /// Ends all exchanges and closes the connections; may be called from any thread.
    func close() {
        queue.async { [self] in
            isClosed = true
            for exchange in Array(underWay.values) { exchange.end(.cancelled) }
            deadlines.stop()
            // Also releases the delegate, which the session retains until then.
            session?.invalidateAndCancel()
            session = nil
        }
    }

    /// The session; `nil` after the transport was released.
    var openSession: URLSession? {
        if isClosed { return nil }
        if let session { return session }
        let callbacks = OperationQueue()
        callbacks.maxConcurrentOperationCount = 1
        callbacks.underlyingQueue = queue
        let session = URLSession(
            configuration: settings.sessionConfiguration(), delegate: self, delegateQueue: callbacks)
        self.session = session
        return session
    }

    // MARK: Exchanges

    /// Retains an exchange until its end.
    func register(_ exchange: URLSessionExchange) { underWay[ObjectIdentifier(exchange)] = exchange }

    func register(_ exchange: URLSessionExchange, _ task: URLSessionTask) {
        exchangesByTask[task.taskIdentifier] = exchange
    }

    func unregister(_ exchange: URLSessionExchange, _ task: URLSessionTask?) {
        underWay[ObjectIdentifier(exchange)] = nil
        guard let task else { return }
        exchangesByTask[task.taskIdentifier] = nil
        #if !canImport(Darwin)
        streams.withLock { $0[task.taskIdentifier] = nil }
        #endif
    }

    #if canImport(Darwin)
    /// Retains the body of a task that is being cancelled, until the task is over.
    func retain(stopped body: UploadBody, of task: URLSessionTask) {
        body.stop()
        stopped[task.taskIdentifier] = body
    }

    /// Closes the body of a cancelled task.
    func taskIsOver(_ task: URLSessionTask) { stopped.removeValue(forKey: task.taskIdentifier)?.close() }
    #else
    /// Registers the factory of a task's body stream, which is called on any thread.
    func registerStream(of task: URLSessionTask, _ makeStream: @escaping @Sendable () -> InputStream?) {
        streams.withLock { $0[task.taskIdentifier] = makeStream }
    }

    /// A task's body from its first byte, on any thread; `nil` after the exchange has ended.
    func newStream(of task: URLSessionTask) -> InputStream? {
        streams.withLock { $0[task.taskIdentifier] }?()
    }
    #endif

    /// The exchange of a task; `nil` after it has ended.
    func exchange(of task: URLSessionTask) -> URLSessionExchange? { exchangesByTask[task.taskIdentifier] }

    /// Schedules a check of the exchanges' limits, no later than the deadline.
    func watch(_ deadline: DispatchTime) {
        deadlines.watch(deadline) { [weak self] now in
            var next = DispatchTime.distantFuture
            guard let self else { return next }
            for exchange in Array(underWay.values) {
                let deadline = exchange.deadline
                if deadline <= now { exchange.endOverdue(at: now) } else { next = min(next, deadline) }
            }
            return next
        }
    }
}
