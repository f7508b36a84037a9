import MoyaCurl
import MoyaTransport
import TransportConformance

#if os(Linux)
/// A transport that its own sink lets go of.
final class TransportBox: Sendable {
    private let transport: Lock<CurlTransport?>

    init(_ transport: CurlTransport) { self.transport = Lock(transport) }

    func start(_ request: HTTPRequest, _ sink: ListeningSink) -> (any TransportExchange)? {
        transport.withLock { $0 }?.start(request, delivering: sink)
    }

    func drop() {
        let dropped = transport.withLock { transport in
            defer { transport = nil }
            return transport
        }
        withExtendedLifetime(dropped) {}
    }
}
#endif
