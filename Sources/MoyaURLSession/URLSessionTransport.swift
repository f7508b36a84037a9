public import MoyaTransport

/// The wire over Foundation's `URLSession`: the default on Apple platforms, and one to choose elsewhere.
///
/// Of `URLSession` it uses what moves bytes. Redirects, cookies, caches and stored credentials are off: the session above
/// decides about those, on this wire as on every other.
///
/// ### Limits
/// `URLSession` keeps neither the order nor the duplicates of header fields, sends no body with a GET, and does not
/// report when a connection is made, so that a `Timeouts.connect` bound is refused. A setting that the wire cannot
/// honour ends every exchange with the setting's name, and is in ``configurationFailure``.
///
/// ### May I use it on Linux?
/// Only with servers that you trust: Foundation there ends the process when a server sends trailers, or hangs up within a
/// header section, and no code over it can prevent that. Foundation there does not show a server's certificates either, and
/// measures nothing; what a server sends while its reader pauses stays in memory; and a body that a reader yields is
/// gathered, in memory up to a megabyte and then in a file, before it is sent. The wire over libcurl, the default on Linux,
/// has none of these limits.
///
/// ### Use on Linux
/// Add the product `MoyaURLSession` to a target, and give a session the transport:
///
/// ```swift
/// let session = Session(transport: URLSessionTransport())
/// ```
///
/// Releasing a transport cancels its exchanges and closes its connections.
public final class URLSessionTransport: Transport {
    private let wire: URLSessionWire

    /// Makes a transport with new connections; nothing is opened before the first exchange.
    ///
    /// - Parameter configuration: The settings of every exchange.
    public init(configuration: TransportConfiguration = TransportConfiguration()) {
        wire = URLSessionWire(configuration)
    }

    deinit { wire.close() }

    /// Hands the exchange to the transport's queue; events arrive on that queue.
    public func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
        let exchange = URLSessionExchange(request: request, sink: sink, wire: wire)
        wire.start(exchange)
        return exchange
    }

    /// `false`: the transport's queue serves every exchange, so nothing may block it.
    public var deliversWhereCodeMayBlock: Bool { false }

    /// The reason that a setting cannot be honoured; `nil` when all can.
    public var configurationFailure: TransportFailure? { wire.settings.failure }
}
