#if os(Linux)
import MoyaTransport

/// One exchange as its caller holds it.
///
/// `@unchecked`: the constants are set before the exchange is handed over; the rest belongs to the loop's thread.
final class CurlExchange: TransportExchange, @unchecked Sendable {
    let request: TransportRequest
    let connections: CurlConnections

    /// Hears of the exchange until its end; it may hold the exchange, which must not hold it any longer then.
    private var sink: (any TransportSink)?

    /// The transfer that carries the exchange, from its start until its end.
    var transfer: CurlTransfer?

    init(request: TransportRequest, sink: any TransportSink, connections: CurlConnections) {
        self.request = request
        self.sink = sink
        self.connections = connections
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
