#if TaskAlias
import Foundation
import Moya
import MoyaSession

/// A wire that answers every request with the same status and body, and records the requests.
final class AnsweringTransport: Transport {
    private let status: Int
    private let body: Data
    private let lock = NSLock()
    private nonisolated(unsafe) var lockedRequests: [HTTPRequest] = []

    init(status: Int = 200, body: String = "from the wire") {
        self.status = status
        self.body = Data(body.utf8)
    }

    var requests: [HTTPRequest] { lock.withLock { lockedRequests } }

    func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
        lock.withLock { lockedRequests.append(request) }
        let exchange = AnsweredExchange()
        _ = sink.receive(.head(TransportResponseHead(status: status, fields: [])))
        body.withUnsafeBytes { _ = sink.receive(.chunk($0)) }
        _ = sink.receive(.end(TransportEnd()))
        return exchange
    }
}

private final class AnsweredExchange: TransportExchange {
    func cancel() {}
    func pause() {}
    func resume() {}
}

extension HTTPRequest {
    func value(for name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
#endif
