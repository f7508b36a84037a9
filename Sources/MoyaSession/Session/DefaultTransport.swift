import MoyaTransport

#if os(Linux)
import MoyaCurl
#elseif canImport(Darwin)
import MoyaURLSession
#endif

/// The transport of a session that is not given one.
enum DefaultTransport {
    static func make(_ configuration: TransportConfiguration) -> any Transport {
        #if os(Linux)
        CurlTransport(configuration: configuration)
        #elseif canImport(Darwin)
        URLSessionTransport(configuration: configuration)
        #else
        MissingTransport()
        #endif
    }
}

#if !os(Linux) && !canImport(Darwin)
/// Fails every request, because the platform has no default transport.
private final class MissingTransport: Transport, TransportExchange {
    func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
        let failure = TransportFailure(
            .unsupported, message: "This platform has no default transport: pass one to the session.")
        _ = sink.receive(.end(TransportEnd(failure: failure)))
        return self
    }

    func cancel() {}
    func pause() {}
    func resume() {}
}
#endif
