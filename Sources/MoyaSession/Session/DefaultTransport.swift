import MoyaTransport

#if os(Linux)
import MoyaCurl
#endif

/// The wire of a session that is not given one.
enum DefaultTransport {
    static func make(_ configuration: TransportConfiguration) -> any Transport {
        #if os(Linux)
        CurlTransport(configuration: configuration)
        #else
        MissingTransport()
        #endif
    }
}

#if !os(Linux)
/// Stands where the wire over URLSession will: every request fails, and says why.
private final class MissingTransport: Transport, TransportExchange {
    func start(_ request: TransportRequest, delivering sink: any TransportSink) -> any TransportExchange {
        let failure = TransportFailure(
            .unsupported, message: "This platform has no wire of its own yet: give the session a transport.")
        _ = sink.receive(.end(TransportEnd(failure: failure)))
        return self
    }

    func cancel() {}
    func pause() {}
    func resume() {}
}
#endif
