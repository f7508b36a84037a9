#if os(Linux)
import MoyaTransport

/// The handle of one exchange.
///
/// `@unchecked`: the constants are set before the exchange is posted; the rest is protected by the loop lock.
final class CurlExchange: TransportExchange, @unchecked Sendable {
    let request: HTTPRequest
    let multi: CurlMulti
    let isOverTLS: Bool

    /// The receiver of events until the end; it may retain the exchange, which therefore releases it then.
    private var sink: (any TransportSink)?

    /// The multi handle that carries the exchange in place of ``multi``.
    var carrier: CurlMulti?
    /// The transfer that carries the exchange, from its start until its end.
    var transfer: CurlEasy?

    /// The time at which the loop received the exchange, and its deadline, in nanoseconds of the monotonic clock.
    private(set) var arrival: UInt64 = 0
    private(set) var totalDeadline = UInt64.max

    /// `true` if the caller paused the exchange before the transfer began.
    private(set) var isPausedInQueue = false

    /// The queue of the exchange, which also controls the following properties.
    var queue: OriginQueue?
    var isWaiting = false
    var nextInQueue: CurlExchange?
    unowned(unsafe) var previousInQueue: CurlExchange?

    init(request: HTTPRequest, sink: any TransportSink, multi: CurlMulti) {
        isOverTLS = ASCII.hasPrefix(request.url, "https:")
        // Last, so that it is moved.
        self.request = request
        self.sink = sink
        self.multi = multi
    }

    /// Records the time at which the loop received the exchange.
    func arrive(at now: UInt64) {
        arrival = now
        totalDeadline = UInt64.nanoseconds(ofLimit: request.timeouts.total).map { now + $0 } ?? .max
    }

    /// The limit of connecting in nanoseconds; `nil` without one.
    ///
    /// A connection that is not established counts as silence too.
    var connectNanoseconds: UInt64? {
        let connect = UInt64.nanoseconds(ofLimit: request.timeouts.connect) ?? .max
        let limit = min(connect, UInt64.nanoseconds(ofLimit: request.timeouts.idle) ?? .max)
        return limit == .max ? nil : limit
    }

    /// The time at which the limit of connecting passes, if the exchange waits for a connection that is being made, or
    /// could not be made.
    var connectDeadline: UInt64? {
        guard let queue, queue.isConnecting, let since = queue.connectingSince, let connectNanoseconds else {
            return nil
        }
        return max(arrival, since) &+ connectNanoseconds
    }

    /// The time at which the first limit of an exchange in its queue passes.
    var deadlineInQueue: UInt64 { min(totalDeadline, connectDeadline ?? .max) }

    /// The time at which the exchange may end in its queue, or leave it without another one's end.
    var nextCheckInQueue: UInt64 { min(deadlineInQueue, queue?.nextTry ?? .max) }

    /// The failure of an exchange that has waited too long in its queue.
    func failureInQueue(at now: UInt64) -> TransportFailure? {
        if totalDeadline <= now { return .timeout(.total, seconds: request.timeouts.total) }
        guard let connectDeadline, connectDeadline <= now else { return nil }
        return .timeout(.connect, seconds: connectNanoseconds.map { Double($0) / 1e9 })
    }

    /// The metrics of an exchange that never left its queue.
    func metricsInQueue(until now: UInt64) -> TransportMetrics? {
        request.collectsMetrics ? TransportMetrics(total: Double(now - arrival) / 1e9) : nil
    }

    func pauseReading() {
        if let transfer { transfer.pause = .reader } else { isPausedInQueue = true }
    }

    func resumeReading() {
        if let transfer { transfer.resume() } else { isPausedInQueue = false }
    }

    /// Decodes more of the body, unless the caller has paused it.
    func decode() {
        if let transfer, transfer.pause == .decoder { transfer.resume() }
    }

    func deliver(_ event: TransportEvent) -> TransportDemand { sink?.receive(event) ?? .more }

    /// Delivers the last event.
    func end(_ failure: TransportFailure, metrics: TransportMetrics? = nil) {
        end(TransportEnd(failure: failure, metrics: metrics))
    }

    /// Delivers the last event.
    func end(_ end: TransportEnd) {
        guard let sink else { return }
        self.sink = nil
        // Before the sink hears of it: what it starts next finds the loop free.
        multi.release(request)
        _ = sink.receive(.end(end))
    }

    func cancel() { multi.loop.post(.cancel(self)) }

    func pause() { multi.loop.post(.pause(self)) }

    func bodyIsReadable() { multi.loop.post(.resumeSending(self)) }

    func resume() { multi.loop.post(.resume(self)) }
}
#endif
