import Foundation
import Moya
import MoyaSession

/// A transport that answers every request immediately with the same bytes.
struct CannedTransport: Transport {
    let body: Data
    let fields: [HTTPField]

    init(_ body: Data) {
        self.body = body
        fields = [
            HTTPField(name: "Content-Type", value: "application/json"),
            HTTPField(name: "Cache-Control", value: "max-age=86400"),
            HTTPField(name: "ETag", value: "\"1\""), HTTPField(name: "Content-Length", value: "\(body.count)"),
        ]
    }

    func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
        _ = sink.receive(.head(TransportResponseHead(status: 200, fields: fields)))
        body.withUnsafeBytes { _ = sink.receive(.chunk($0)) }
        _ = sink.receive(.end(TransportEnd()))
        return Over()
    }

    private final class Over: TransportExchange {
        func cancel() {}
        func pause() {}
        func resume() {}
    }
}

/// Sends a response that is larger than memory, in chunks, as fast as they are received.
struct LongTransport: Transport {
    let length: Int64

    func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
        let exchange = Exchange(length: length, sink: sink)
        Thread.detachNewThread { exchange.run() }
        return exchange
    }

    /// `@unchecked`: the condition protects shared state; only the thread accesses the rest.
    private final class Exchange: TransportExchange, @unchecked Sendable {
        private let length: Int64
        private let sink: any TransportSink
        private let condition = NSCondition()
        private var isPaused = false
        private var isCancelled = false

        init(length: Int64, sink: any TransportSink) {
            self.length = length
            self.sink = sink
        }

        func run() {
            let fields = [
                HTTPField(name: "Cache-Control", value: "max-age=86400"),
                HTTPField(name: "Content-Length", value: "\(length)"),
            ]
            follow(sink.receive(.head(TransportResponseHead(status: 200, fields: fields))))
            let chunk = Data(repeating: 0x61, count: 65_536)
            var left = length
            while left > 0, mayGoOn() {
                let count = Int(min(left, Int64(chunk.count)))
                follow(chunk.withUnsafeBytes { sink.receive(.chunk(UnsafeRawBufferPointer(rebasing: $0[..<count]))) })
                left -= Int64(count)
            }
            let failure = left > 0 ? TransportFailure(.cancelled, message: "cancelled") : nil
            _ = sink.receive(.end(TransportEnd(failure: failure)))
        }

        private func follow(_ demand: TransportDemand) { if demand == .wait { pause() } }

        private func mayGoOn() -> Bool {
            condition.lock()
            defer { condition.unlock() }
            while isPaused, !isCancelled { condition.wait() }
            return !isCancelled
        }

        private func change(_ body: () -> Void) {
            condition.lock()
            body()
            condition.broadcast()
            condition.unlock()
        }

        func cancel() { change { isCancelled = true } }
        func pause() { change { isPaused = true } }
        func resume() { change { isPaused = false } }
    }
}
