#if os(Linux)
public import MoyaTransport

/// A transport over libcurl: HTTP/1.1 and HTTP/2 on one or more dedicated threads, with its own connections.
///
/// Many transports can share one ``CurlLoop``, and so one thread. Transports and loops never share connections, TLS sessions
/// or looked-up addresses. Releasing a transport cancels its exchanges and closes its connections.
public final class CurlTransport: Transport {
    /// The multi handle of each loop.
    private let multis: [CurlMulti]
    /// Selects the loop of an exchange; `nil` if there is only one.
    private let balancer: LoopBalancer?

    /// Makes a transport over the shared threads of the process, as many as the configuration requests; it opens nothing
    /// before the first exchange.
    public convenience init(configuration: TransportConfiguration = TransportConfiguration()) {
        self.init(configuration: configuration, loops: CurlLoop.shared(count: configuration.loops))
    }

    /// Makes a transport; it opens nothing before the first exchange.
    ///
    /// - Parameters:
    ///   - configuration: The settings of every exchange, except the number of threads.
    ///   - loop: The thread that does the I/O.
    public convenience init(configuration: TransportConfiguration = TransportConfiguration(), loop: CurlLoop) {
        self.init(configuration: configuration, loops: [loop])
    }

    /// - Parameter library: The libcurl that the transport expects to call; tests describe one that lacks something.
    init(configuration: TransportConfiguration, loops: [CurlLoop], library: CurlLibrary = .loaded) {
        // A value beyond libcurl's range is no limit.
        let connectionsPerHost = Int(Int32(clamping: max(1, configuration.maximumConnectionsPerHost ?? 6)))
        let settings = CurlSettings(configuration, library: library)
        clientIdentityDigest = configuration.clientIdentity?.digest
        // Each loop needs a connection.
        let loops = loops.prefix(connectionsPerHost)
        let shares = loops.indices.map { index in
            connectionsPerHost / loops.count + (index < connectionsPerHost % loops.count ? 1 : 0)
        }
        let balancer = loops.count > 1 ? LoopBalancer(connections: shares) : nil
        self.balancer = balancer
        multis = loops.enumerated().map { index, loop in
            CurlMulti(
                settings: settings, connectionsPerHost: shares[index], loop: loop,
                release: { balancer?.release(index, $0) })
        }
    }

    deinit {
        for multi in multis { multi.loop.post(.close(multi)) }
    }

    /// Passes the exchange to the loop; events arrive on its thread, or on a thread that starts an exchange at that
    /// time.
    public func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
        let multi = multis[balancer?.take(request) ?? 0]
        let exchange = CurlExchange(request: request, sink: sink, multi: multi)
        multi.loop.post(.start(exchange))
        return exchange
    }

    /// `false`: the thread that delivers an event serves every exchange of the loop, so nothing may block it.
    public var deliversWhereCodeMayBlock: Bool { false }

    /// The reason that a setting cannot be honoured, or `nil`.
    public var configurationFailure: TransportFailure? { multis.first?.settings.failure }

    /// The SHA-256 digest of the client certificate, or `nil`.
    public let clientIdentityDigest: String?

    /// The schemes with which libcurl was built.
    public var authenticationSchemes: Set<TransportAuthentication.Scheme> {
        Set(TransportAuthentication.Scheme.allCases.filter { $0.isSupported(by: CurlLibrary.loaded.has) })
    }
}

// `dump` would print the URLs of the requests that a handle has had.
extension CurlTransport: OpaqueReflection {}
extension CurlExchange: OpaqueReflection {}
#endif
