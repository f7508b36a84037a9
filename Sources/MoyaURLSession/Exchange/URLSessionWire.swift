import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The `URLSession`s of one transport, their delegate, and its exchanges.
///
/// `@unchecked`: the constants are set in the initializer; everything else is confined to the serial queue on which
/// `URLSession` also calls its delegate.
final class URLSessionWire: NSObject, @unchecked Sendable {
    let settings: URLSessionSettings
    let queue = DispatchQueue(label: "org.moya.urlsession")

    /// The maximum number of sessions: hosts that a server chooses must not fill the memory.
    static let mostSessions = 32

    /// The sessions in the order of their last use; none is used after its invalidation: Foundation would trap.
    private var sessions: [(scope: ConnectionScope, session: URLSession)] = []
    private(set) var isClosed = false
    private var underWay: [ObjectIdentifier: URLSessionExchange] = [:]
    /// The exchanges that have a task, each of which retains its task: numbers of tasks are unique only within a session.
    private var exchangesByTask: [ObjectIdentifier: URLSessionExchange] = [:]
    private let deadlines: ExchangeTimer
    /// The refusals of servers, by their hosts, until they are accepted.
    var refusals: [String: TransportFailure] = [:]
    #if canImport(Darwin)
    /// The bodies of cancelled tasks, which `URLSession` retains until they are over: a stream that is closed early looks
    /// complete to it.
    private var stopped: [ObjectIdentifier: UploadBody] = [:]
    #else
    private let streams = Lock<[ObjectIdentifier: @Sendable () -> InputStream?]>([:])
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
            // Also releases the delegate, which the sessions retain until then.
            for (_, session) in sessions { session.invalidateAndCancel() }
            sessions = []
        }
    }

    /// The session of a scope, for a task that is made at once; `nil` after the transport was released.
    ///
    /// Beyond the maximum, the session that was used least recently closes its connections after its last task.
    func openSession(for scope: ConnectionScope) -> URLSession? {
        if isClosed { return nil }
        if let index = sessions.lastIndex(where: { $0.scope == scope }) {
            sessions.append(sessions.remove(at: index))
        } else {
            if sessions.count == Self.mostSessions { sessions.removeFirst().session.finishTasksAndInvalidate() }
            sessions.append((scope, makeSession()))
        }
        return sessions.last?.session
    }

    private func makeSession() -> URLSession {
        let callbacks = OperationQueue()
        callbacks.maxConcurrentOperationCount = 1
        callbacks.underlyingQueue = queue
        return URLSession(
            configuration: settings.sessionConfiguration(), delegate: self, delegateQueue: callbacks)
    }

    // MARK: Exchanges

    /// Retains an exchange until its end.
    func register(_ exchange: URLSessionExchange) { underWay[ObjectIdentifier(exchange)] = exchange }

    func register(_ exchange: URLSessionExchange, _ task: URLSessionTask) {
        exchangesByTask[ObjectIdentifier(task)] = exchange
    }

    func unregister(_ exchange: URLSessionExchange, _ task: URLSessionTask?) {
        underWay[ObjectIdentifier(exchange)] = nil
        guard let task else { return }
        exchangesByTask[ObjectIdentifier(task)] = nil
        #if !canImport(Darwin)
        streams.withLock { $0[ObjectIdentifier(task)] = nil }
        #endif
    }

    #if canImport(Darwin)
    /// Retains the body of a task that is being cancelled, until the task is over.
    func retain(stopped body: UploadBody, of task: URLSessionTask) {
        body.stop()
        stopped[ObjectIdentifier(task)] = body
    }

    /// Closes the body of a cancelled task.
    func taskIsOver(_ task: URLSessionTask) { stopped.removeValue(forKey: ObjectIdentifier(task))?.close() }
    #else
    /// Registers the factory of a task's body stream, which is called on any thread.
    func registerStream(of task: URLSessionTask, _ makeStream: @escaping @Sendable () -> InputStream?) {
        streams.withLock { $0[ObjectIdentifier(task)] = makeStream }
    }

    /// A task's body from its first byte, on any thread; `nil` after the exchange has ended.
    func newStream(of task: URLSessionTask) -> InputStream? {
        streams.withLock { $0[ObjectIdentifier(task)] }?()
    }
    #endif

    /// The exchange of a task; `nil` after it has ended.
    func exchange(of task: URLSessionTask) -> URLSessionExchange? { exchangesByTask[ObjectIdentifier(task)] }

    /// Schedules a check of the exchanges' limits, no earlier than the deadline, and no more than 10 ms after it.
    func watch(_ deadline: DispatchTime) {
        deadlines.watch(deadline) { [weak self] now in
            var next = DispatchTime.distantFuture
            guard let self else { return (next, 0) }
            let exchanges = Array(underWay.values)
            for exchange in exchanges {
                let deadline = exchange.deadline
                if deadline <= now { exchange.endOverdue(at: now) } else { next = min(next, deadline) }
            }
            return (next, exchanges.count)
        }
    }
}
