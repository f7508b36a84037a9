#if os(Linux)
import MoyaTransport

/// One exchange as its caller holds it.
///
/// `@unchecked`: the constants are set before the exchange is handed over; the rest belongs to whoever has the loop's turn.
final class CurlExchange: TransportExchange, @unchecked Sendable {
    let request: TransportRequest
    let connections: CurlConnections

    /// Hears of the exchange until its end; it may hold the exchange, which must not hold it any longer then.
    private var sink: (any TransportSink)?

    /// The transfer that carries the exchange, from its turn until its end.
    var transfer: CurlTransfer?

    /// When the loop took the exchange, and when it has to be over; in nanoseconds of the monotonic clock.
    private(set) var arrival: UInt64 = 0
    private(set) var totalDeadline = UInt64.max

    /// Whether its caller has stopped reading before there was a transfer to tell.
    private(set) var isPausedInLine = false

    /// The line in which the exchange waits or is under way; what follows is the line's.
    var line: OriginLine?
    var isWaiting = false
    var nextInLine: CurlExchange?
    unowned(unsafe) var previousInLine: CurlExchange?

    init(request: TransportRequest, sink: any TransportSink, connections: CurlConnections) {
        self.request = request
        self.sink = sink
        self.connections = connections
    }

    /// Takes the time at which the loop has the exchange.
    func arrive(at now: UInt64) {
        arrival = now
        totalDeadline = MonotonicTime.nanoseconds(request.timeouts.total).map { now + $0 } ?? .max
    }

    func isOverdue(at now: UInt64) -> Bool { totalDeadline <= now }

    var overdue: TransportFailure { .totalTimeout(seconds: request.timeouts.total) }

    /// What there is to say of an exchange that has come no further than its line.
    func metricsInLine(until now: UInt64) -> TransportMetrics? {
        request.collectsMetrics ? TransportMetrics(total: Double(now - arrival) / 1e9) : nil
    }

    func pauseReading() {
        if let transfer { transfer.pause() } else { isPausedInLine = true }
    }

    func resumeReading() {
        if let transfer { transfer.resume() } else { isPausedInLine = false }
    }

    func deliver(_ event: TransportEvent) -> TransportDemand { sink?.receive(event) ?? .more }

    /// Delivers the last event.
    func end(_ failure: TransportFailure?, metrics: TransportMetrics? = nil) {
        let sink = sink
        self.sink = nil
        _ = sink?.receive(.end(TransportEnd(failure: failure, metrics: metrics)))
    }

    func cancel() { connections.loop.post(.cancel(self)) }

    func pause() { connections.loop.post(.pause(self)) }

    func bodyIsReadable() { connections.loop.post(.resumeSending(self)) }

    func resume() { connections.loop.post(.resume(self)) }
}
#endif
