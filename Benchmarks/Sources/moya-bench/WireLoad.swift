import CMeasure
import Foundation
import Moya
import MoyaSession

/// MoyaCurl alone: requests go directly to the transport of a session.
final class WireLoad: Sendable {
    // Retains the transport, which closes when it is released; the session is not needed otherwise.
    private let transport: any Transport
    private let request: HTTPRequest

    init(_ options: Options) {
        let session = options.session()
        transport = session.transport
        request = HTTPRequest(
            method: "GET", url: options.url.appendingPathComponent("small").absoluteString,
            fields: session.defaultHeaders.map { HTTPField(name: $0.name, value: $0.value) })
    }

    func start() { _ = transport.start(request, delivering: Sink(load: self)) }

    /// Stores the received bytes; `@unchecked`, because the transport's thread delivers one event at a time.
    private final class Sink: TransportSink, @unchecked Sendable {
        private let load: WireLoad
        private let started = measure_now()
        private var status = 0
        private var body: [UInt8] = []

        init(load: WireLoad) { self.load = load }

        func receive(_ event: TransportEvent) -> TransportDemand {
            switch event {
            case .head(let head): status = head.status
            case .chunk(let bytes): body.append(contentsOf: bytes)
            case .end(let end):
                measure_completed(
                    started, end.failure == nil && status == 200 && body.count == BenchmarkAPI.sampleLength)
                load.start()
            case .informational, .sent: break
            }
            return .more
        }
    }
}
