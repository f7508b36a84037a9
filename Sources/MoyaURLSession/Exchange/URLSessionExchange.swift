import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The handle of one exchange, with its task.
///
/// `@unchecked`: the constants are set before the exchange is posted; the rest is confined to the transport's queue.
final class URLSessionExchange: TransportExchange, @unchecked Sendable {
    let request: HTTPRequest
    let wire: URLSessionWire

    /// The receiver of events until the end; it may retain the exchange, which therefore releases it then.
    private var sink: (any TransportSink)?
    private var task: URLSessionTask?
    private var body: UploadBody?
    private var backlog = BodyBacklog()
    private var isPaused = false
    private var hasHead = false
    /// The length of the body as the head states it; `nil` if that of the decoded bytes is unknown.
    private var statedLength: Int64?
    private var receivedBytes: Int64 = 0
    /// `true` if the task is suspended, where that is possible.
    private var isSuspended = false
    private var isTaskOver = false
    /// The end of the task, while bytes wait for the sink.
    private var heldEnd: TransportFailure??
    private var sentBytes: Int64 = 0
    private var deadlines = ExchangeDeadlines()

    /// The reason that this transport ended the exchange, since `URLSession` only knows that it was cancelled.
    var ownFailure: TransportFailure?
    var metrics: TransportMetrics?

    init(request: HTTPRequest, sink: any TransportSink, wire: URLSessionWire) {
        self.request = request
        self.sink = sink
        self.wire = wire
    }

    // MARK: From any thread

    func cancel() { wire.queue.async { self.end(.cancelled) } }

    func pause() { wire.queue.async { self.isPaused = true } }

    func resume() {
        wire.queue.async {
            guard self.isPaused else { return }
            self.isPaused = false
            self.recordActivity()
            self.deliverBacklog()
        }
    }

    // MARK: Starting

    func start() {
        guard sink != nil else { return }
        if let failure = wire.settings.failure { return end(failure) }
        do throws(TransportFailure) {
            let urlRequest = try URLRequest(request)
            guard !wire.isClosed else { return end(.cancelled) }
            wire.register(self)
            deadlines = ExchangeDeadlines(request.timeouts, now: .now())
            wire.watch(deadlines.deadline(isPaused: false))
            let body = try UploadBody(request.body, of: self)
            self.body = body
            body.prepare { [weak self] failure in
                guard let self, sink != nil else { return }
                if let failure { return end(failure) }
                let scope = wire.settings.connectionScope(of: request.url)
                guard let session = wire.openSession(for: scope) else { return end(.cancelled) }
                let task = body.task(for: urlRequest, in: session)
                self.task = task
                wire.register(self, task)
                task.resume()
            }
        } catch {
            end(error)
        }
    }

    #if canImport(Darwin)
    func newBodyStream() -> InputStream? { body?.newStream() }
    #endif

    // MARK: Callbacks of URLSession

    func receive(_ response: URLResponse) {
        guard let head = TransportResponseHead(response) else { return }
        guard !hasHead else { return receiveFurther() }
        recordActivity()
        guard !head.hasMalformedLength else { return end(.malformedLength) }
        let isInterim = head.status < 200 && head.status != 101
        hasHead = !isInterim
        statedLength = head.isDecoded ? nil : head.contentLength
        deliver(isInterim ? .informational(head) : .head(head))
    }

    /// Handles a response after the head: on Apple platforms, each part of a `multipart/x-mixed-replace` body is one,
    /// and its bytes come without their boundary.
    private func receiveFurther() {
        #if canImport(Darwin)
        end(.unsupported("A multipart/x-mixed-replace response", "splits it into several responses"))
        #endif
    }

    func receive(_ data: Data) {
        recordActivity()
        receivedBytes += Int64(data.count)
        backlog.append(data)
        deliverBacklog()
    }

    func sent(_ bytes: Int64) {
        recordActivity()
        guard bytes > sentBytes else { return }
        sentBytes = bytes
        if request.reportsSentBytes { deliver(.sent(bytes: bytes, expected: body?.length)) }
    }

    /// - Parameter isTaskOver: `true` if `URLSession` has also released the task.
    func complete(_ error: (any Error)?, isTaskOver: Bool = true) {
        self.isTaskOver = isTaskOver
        let failure = ownFailure ?? error.map(failure) ?? problemOfWholeResponse()
        if backlog.isEmpty { return end(failure) }
        heldEnd = .some(failure)
    }

    #if canImport(Darwin)
    private func problemOfWholeResponse() -> TransportFailure? { nil }
    #else
    /// The problem of a response that Foundation on Linux takes for complete.
    private func problemOfWholeResponse() -> TransportFailure? {
        if !hasHead, let response = task?.response {
            // A redirect that leads nowhere comes only with the task, without its body.
            receive(response)
            guard hasHead else { return nil }
            return ASCII.equalIgnoringCase(request.method, "HEAD") || statedLength == 0 ? nil : .discardedBody
        }
        // Of two lines whose names are spelled differently, it keeps one and obeys the other.
        guard let statedLength, receivedBytes > 0, statedLength != receivedBytes else { return nil }
        return .malformedLength
    }
    #endif

    private func failure(_ error: any Error) -> TransportFailure {
        // After a refusal, the system may end further tasks for that server without asking again.
        let isGivenUp = (error as? URLError)?.code == .cancelled
        let refusal = isGivenUp ? wire.refusals[HTTPOrigin(requested: request.url)?.host ?? ""] : nil
        return refusal ?? TransportFailure(error, hasHead: hasHead)
    }

    // MARK: Delivering

    private func deliver(_ event: TransportEvent) {
        if sink?.receive(event) == .wait { isPaused = true }
    }

    private func deliverBacklog() {
        while !isPaused, sink != nil, let piece = backlog.next() {
            piece.withUnsafeBytes { deliver(.chunk($0)) }
        }
        guard backlog.isEmpty else { return setSuspended(true) }
        setSuspended(false)
        if let heldEnd { end(heldEnd) }
    }

    private func setSuspended(_ suspends: Bool) {
        #if canImport(Darwin)
        guard suspends != isSuspended, let task else { return }
        isSuspended = suspends
        if suspends { task.suspend() } else { task.resume() }
        #endif
    }

    // MARK: Ending

    /// Ends the exchange and notifies the sink, once.
    func end(_ failure: TransportFailure?) {
        guard let sink else { return }
        self.sink = nil
        backlog = BodyBacklog()
        closeBody(isComplete: failure == nil)
        wire.unregister(self, task)
        if !isTaskOver { task?.cancel() }
        task = nil
        let metrics = request.collectsMetrics ? metrics : nil
        _ = sink.receive(.end(TransportEnd(failure: failure, metrics: metrics)))
    }

    private func closeBody(isComplete: Bool) {
        guard let body = body.take() else { return }
        #if canImport(Darwin)
        if !isComplete, !isTaskOver, let task { return wire.retain(stopped: body, of: task) }
        #endif
        body.close()
    }

    // MARK: Time limits

    var deadline: DispatchTime { deadlines.deadline(isPaused: isPaused) }

    func endOverdue(at now: DispatchTime) { end(deadlines.failure(at: now, request.timeouts)) }

    func recordActivity() {
        deadlines.recordActivity(now: .now())
        wire.watch(deadlines.deadline(isPaused: isPaused))
    }
}
