import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The `URLSession` of one transport, and the exchanges under way on it; the session's delegate.
///
/// `@unchecked`: the constants are set at the start; everything else belongs to the queue, which is serial and is the one
/// that `URLSession` calls its delegate on.
final class URLSessionWire: NSObject, @unchecked Sendable {
    let settings: URLSessionSettings
    let queue = DispatchQueue(label: "org.moya.urlsession")

    /// Made for the first exchange, and never used once it was invalidated: Foundation traps then.
    private var session: URLSession?
    private var isClosed = false
    private var underWay: [ObjectIdentifier: URLSessionExchange] = [:]
    /// Those of them that have a task, by its number.
    private var carried: [Int: URLSessionExchange] = [:]
    private let deadlines: DeadlineTimer
    #if !canImport(Darwin)
    private let streams = Lock<[Int: @Sendable () -> InputStream?]>([:])
    #endif

    init(_ configuration: TransportConfiguration) {
        settings = URLSessionSettings(configuration)
        deadlines = DeadlineTimer(queue: queue)
    }

    // MARK: Opening and closing

    func start(_ exchange: URLSessionExchange) {
        queue.async { exchange.begin() }
    }

    /// Ends what is under way and closes the connections; may be called from any thread.
    func close() {
        queue.async { [self] in
            isClosed = true
            for exchange in Array(underWay.values) { exchange.end(.cancelled) }
            deadlines.stop()
            // Releases the delegate too, which the session holds until then.
            session?.invalidateAndCancel()
            session = nil
        }
    }

    /// The session; `nil` once the transport is gone.
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

    /// Holds an exchange until its end.
    func register(_ exchange: URLSessionExchange) { underWay[ObjectIdentifier(exchange)] = exchange }

    func register(_ exchange: URLSessionExchange, _ task: URLSessionTask) {
        carried[task.taskIdentifier] = exchange
    }

    func unregister(_ exchange: URLSessionExchange, _ task: URLSessionTask?) {
        underWay[ObjectIdentifier(exchange)] = nil
        guard let task else { return }
        carried[task.taskIdentifier] = nil
        #if !canImport(Darwin)
        streams.withLock { $0[task.taskIdentifier] = nil }
        #endif
    }

    #if !canImport(Darwin)
    /// Keeps what makes a stream of a task's body; it is called on any thread.
    func registerStream(of task: URLSessionTask, _ makeStream: @escaping @Sendable () -> InputStream?) {
        streams.withLock { $0[task.taskIdentifier] = makeStream }
    }

    /// A task's body from its first byte, on any thread; `nil` once the exchange has ended.
    func newStream(of task: URLSessionTask) -> InputStream? {
        streams.withLock { $0[task.taskIdentifier] }?()
    }
    #endif

    /// The exchange that a task carries; `nil` once it has ended.
    func exchange(of task: URLSessionTask) -> URLSessionExchange? { carried[task.taskIdentifier] }

    /// Has the bounds of the exchanges looked at no later than that.
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
