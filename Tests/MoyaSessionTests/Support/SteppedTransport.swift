import Foundation
import MoyaTransport
import Testing

/// Holds every exchange until the test takes it on, step by step.
final class SteppedTransport: Transport {
    private let started = Lock<[Exchange]>([])
    /// `true` if events arrive where user code may block; when not, that code runs on the session's root queue.
    let deliversWhereCodeMayBlock: Bool

    /// `true` if a cancelled exchange ends at once; when not, its events still come.
    private let endsWhenCancelled: Bool

    init(deliversWhereCodeMayBlock: Bool = true, endsWhenCancelled: Bool = true) {
        self.deliversWhereCodeMayBlock = deliversWhereCodeMayBlock
        self.endsWhenCancelled = endsWhenCancelled
    }

    var exchanges: Exchanges { Exchanges(all: started.withLock { $0 }) }

    func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
        let exchange = Exchange(request: request, sink: sink, endsWhenCancelled: endsWhenCancelled)
        started.withLock { $0.append(exchange) }
        return exchange
    }

    /// An exchange whose events are delivered one at a time, on the thread of the caller that triggers them; an end that
    /// comes during another event follows it on that one's thread.
    final class Exchange: TransportExchange {
        private struct Delivery {
            var sink: (any TransportSink)?
            var isBusy = false
            var waitingEnd: TransportEnd?
        }

        let request: HTTPRequest
        private let delivery: Lock<Delivery>
        private let counts = Lock((cancellations: 0, pauses: 0, resumptions: 0))
        private let reading = Lock(true)
        /// Called at the start of the next pause, before that takes effect.
        let onPause = Lock<(@Sendable () -> Void)?>(nil)
        /// Called at the start of the next resumption, before that takes effect.
        let onResume = Lock<(@Sendable () -> Void)?>(nil)

        private let endsWhenCancelled: Bool

        init(request: HTTPRequest, sink: (any TransportSink)?, endsWhenCancelled: Bool = true) {
            self.request = request
            self.endsWhenCancelled = endsWhenCancelled
            delivery = Lock(Delivery(sink: sink))
        }

        var cancellations: Int { counts.withLock { $0.cancellations } }
        var pauses: Int { counts.withLock { $0.pauses } }
        var resumptions: Int { counts.withLock { $0.resumptions } }

        @discardableResult
        func head(_ status: Int, _ fields: [(String, String)] = []) -> TransportDemand {
            let fields = fields.map { HTTPField(name: $0.0, value: $0.1) }
            return send(.head(TransportResponseHead(status: status, fields: fields)))
        }

        func chunk(_ text: String) { chunk(Data(text.utf8)) }

        @discardableResult
        func chunk(_ bytes: Data) -> TransportDemand { bytes.withUnsafeBytes { send(.chunk($0)) } }

        func sent(_ bytes: Int64, of expected: Int64?) { _ = send(.sent(bytes: bytes, expected: expected)) }

        func end(_ kind: TransportFailure.Kind? = nil, metrics: TransportMetrics = TransportMetrics()) {
            let failure = kind.map { TransportFailure($0, message: "as the test says") }
            let end = TransportEnd(failure: failure, metrics: metrics)
            let sink = delivery.withLock { delivery in
                guard delivery.isBusy else { return delivery.sink.take() }
                delivery.waitingEnd = delivery.waitingEnd ?? end
                return nil
            }
            _ = sink?.receive(.end(end))
        }

        /// A whole response.
        func respond(_ status: Int = 200, _ fields: [(String, String)] = [], _ body: String = "") {
            head(status, fields)
            if !body.isEmpty { chunk(body) }
            end()
        }

        func cancel() {
            counts.withLock { $0.cancellations += 1 }
            if endsWhenCancelled { end(.cancelled) }
        }

        /// `true` if the last call to take effect was a pause.
        var isPaused: Bool { !reading.value }

        func pause() {
            onPause.exchange(nil)?()
            counts.withLock { $0.pauses += 1 }
            reading.set(false)
        }

        func resume() {
            onResume.exchange(nil)?()
            counts.withLock { $0.resumptions += 1 }
            reading.set(true)
        }

        private func send(_ event: TransportEvent) -> TransportDemand {
            let sink = delivery.withLock { delivery in
                delivery.isBusy = delivery.sink != nil
                return delivery.sink
            }
            guard let sink else { return .more }
            let demand = sink.receive(event)
            let end = delivery.withLock { delivery in
                delivery.isBusy = false
                if delivery.waitingEnd != nil { delivery.sink = nil }
                return delivery.waitingEnd.take()
            }
            if let end { _ = sink.receive(.end(end)) }
            return demand
        }
    }
    /// The exchanges so far; accessing a missing one records an issue instead of trapping.
    struct Exchanges {
        let all: [Exchange]

        var count: Int { all.count }
        var isEmpty: Bool { all.isEmpty }
        var last: Exchange? { all.last }

        subscript(index: Int) -> Exchange {
            if all.indices.contains(index) { return all[index] }
            Issue.record("exchange \(index) was not begun; there are \(all.count)")
            return Exchange(request: HTTPRequest(method: "", url: ""), sink: nil)
        }
    }
}
