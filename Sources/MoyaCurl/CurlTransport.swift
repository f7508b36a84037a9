#if os(Linux)
public import MoyaTransport

/// The wire over libcurl: HTTP/1.1 and HTTP/2 on a dedicated thread, with connections that belong to this transport
/// alone.
///
/// Many transports may share one ``CurlLoop``, and so one thread; connections, TLS sessions and the DNS cache are
/// never shared. Releasing a transport cancels its exchanges and closes its connections.
public final class CurlTransport: Transport {
    private let connections: CurlMulti

    /// Makes a transport; nothing is opened before the first exchange.
    ///
    /// - Parameters:
    ///   - configuration: The settings of every exchange.
    ///   - loop: The thread that moves the bytes.
    public init(configuration: TransportConfiguration = TransportConfiguration(), loop: CurlLoop = .shared) {
        connections = CurlMulti(configuration: configuration, loop: loop)
    }

    deinit {
        connections.loop.post(.close(connections))
    }

    /// Hands the exchange to the loop; events arrive on its thread, or on one that starts an exchange while it does.
    public func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
        let exchange = CurlExchange(request: request, sink: sink, connections: connections)
        connections.loop.post(.start(exchange))
        return exchange
    }

    /// `false`: the thread that delivers an event serves every exchange of the loop, so nothing may block it.
    public var deliversWhereCodeMayBlock: Bool { false }

    /// The reason that a setting cannot be honoured; `nil` when all can.
    public var configurationFailure: TransportFailure? { connections.settings.failure }
}
#endif
