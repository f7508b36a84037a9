#if os(Linux)
import MoyaTransport

/// One exchange as its caller holds it.
///
/// `@unchecked`: the constants are set before the exchange is handed over; the rest belongs to the holder of the loop
/// lock.
final class CurlExchange: TransportExchange, @unchecked Sendable {
    let request: HTTPRequest
    let connections: CurlMulti

    /// Hears of the exchange until its end; it may hold the exchange, which must not hold it any longer then.
    private var sink: (any TransportSink)?

    /// The transfer that carries the exchange, from its start until its end.
    var transfer: CurlEasy?

    /// The times at which the loop took the exchange and at which it has to be over, in nanoseconds of the monotonic
    /// clock.
    private(set) var arrival: UInt64 = 0
    private(set) var totalDeadline = UInt64.max

    /// `true` if its caller has paused it before the transfer began.
    private(set) var isPausedInQueue = false

    /// The queue in which the exchange waits or is under way; what follows is the queue's.
    var queue: OriginQueue?
    var isWaiting = false
    var nextInQueue: CurlExchange?
    unowned(unsafe) var previousInQueue: CurlExchange?

    init(request: HTTPRequest, sink: any TransportSink, connections: CurlMulti) {
        self.request = request
        self.sink = sink
        self.connections = connections
    }

    var isOverTLS: Bool { ASCII.hasPrefix(request.url, "https:") }

    /// Takes the time at which the loop has the exchange.
    func arrive(at now: UInt64) {
        arrival = now
        totalDeadline = UInt64.nanoseconds(ofBound: request.timeouts.total).map { now + $0 } ?? .max
    }

    func isOverdue(at now: UInt64) -> Bool { totalDeadline <= now }

    var overdue: TransportFailure { .totalTimeout(seconds: request.timeouts.total) }

    /// The metrics of an exchange that has come no further than its queue.
    func metricsInQueue(until now: UInt64) -> TransportMetrics? {
        request.collectsMetrics ? TransportMetrics(total: Double(now - arrival) / 1e9) : nil
    }

    func pauseReading() {
        if let transfer { transfer.pause() } else { isPausedInQueue = true }
    }

    func resumeReading() {
        if let transfer { transfer.resume() } else { isPausedInQueue = false }
    }

    func deliver(_ event: TransportEvent) -> TransportDemand { sink?.receive(event) ?? .more }

    /// Delivers the last event.
    func end(_ failure: TransportFailure, metrics: TransportMetrics? = nil) {
        end(TransportEnd(failure: failure, metrics: metrics))
    }

    /// Delivers the last event.
    func end(_ end: TransportEnd) {
        let sink = sink
        self.sink = nil
        _ = sink?.receive(.end(end))
    }

    func cancel() { connections.loop.post(.cancel(self)) }

    func pause() { connections.loop.post(.pause(self)) }

    func bodyIsReadable() { connections.loop.post(.resumeSending(self)) }

    func resume() { connections.loop.post(.resume(self)) }
}
#endif
