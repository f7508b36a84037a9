import Foundation
import Moya
import MoyaTesting
import MoyaTransport

/// Stands in for a server: each exchange is answered by a script.
final class StepwiseTransport: Transport {
    typealias Script = @Sendable (HTTPRequest, ScriptedExchange) -> Void

    let requests = Recorder<HTTPRequest>()
    let deliversWhereCodeMayBlock: Bool
    private let script: Script

    init(deliversWhereCodeMayBlock: Bool = true, _ script: @escaping Script) {
        self.deliversWhereCodeMayBlock = deliversWhereCodeMayBlock
        self.script = script
    }

    /// Answers every request alike.
    static func answering(_ status: Int = 200, _ text: String = "answer") -> StepwiseTransport {
        StepwiseTransport { _, exchange in exchange.answer(status, text) }
    }

    /// Fails every request.
    static func failing(_ kind: TransportFailure.Kind) -> StepwiseTransport {
        StepwiseTransport { _, exchange in exchange.end(TransportFailure(kind, message: "as scripted")) }
    }

    /// Makes a transport that answers only when the test does, with each exchange as it starts.
    static func waiting() -> (transport: StepwiseTransport, exchanges: AsyncStream<ScriptedExchange>) {
        let (stream, continuation) = AsyncStream.makeStream(of: ScriptedExchange.self)
        return (StepwiseTransport { _, exchange in continuation.yield(exchange) }, stream)
    }

    func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
        let exchange = ScriptedExchange(sink: sink)
        requests.append(request)
        script(request, exchange)
        return exchange
    }
}

/// One exchange; its events come one at a time, on a separate queue.
final class ScriptedExchange: TransportExchange {
    private let sink: any TransportSink
    private let queue = DispatchQueue(label: "scripted exchange")
    private let isEnded = Lock(false)
    private let onCancel = Lock<(@Sendable () -> Void)?>(nil)
    let cancellations = Recorder<Void>()

    init(sink: any TransportSink) { self.sink = sink }

    func answer(_ status: Int = 200, _ text: String = "answer") {
        head(status, ["Content-Length": "\(text.utf8.count)"])
        chunk(Data(text.utf8))
        end()
    }

    func head(_ status: Int = 200, _ fields: [String: String] = [:]) {
        queue.async { [self] in
            guard !isEnded.withLock({ $0 }) else { return }
            let fields = fields.map { HTTPField(name: $0.key, value: $0.value) }
            _ = sink.receive(.head(TransportResponseHead(status: status, fields: fields)))
        }
    }

    func chunk(_ data: Data) {
        queue.async { [self] in
            guard !isEnded.withLock({ $0 }) else { return }
            data.withUnsafeBytes { _ = sink.receive(.chunk($0)) }
        }
    }

    func sent(_ bytes: Int64, of expected: Int64?) {
        queue.async { [self] in
            guard !isEnded.withLock({ $0 }) else { return }
            _ = sink.receive(.sent(bytes: bytes, expected: expected))
        }
    }

    func end(_ failure: TransportFailure? = nil) {
        queue.async { [self] in
            let isFirst = isEnded.withLock { isEnded in
                defer { isEnded = true }
                return !isEnded
            }
            if isFirst { _ = sink.receive(.end(TransportEnd(failure: failure))) }
        }
    }

    func cancel() {
        cancellations.append(())
        onCancel.withLock { $0 }?()
        end(TransportFailure(.cancelled, message: "as asked"))
    }

    /// Waits until all events so far have been delivered.
    func delivered() async { await withCheckedContinuation { continuation in queue.async { continuation.resume() } } }

    /// Runs when the exchange is cancelled.
    func whenCancelled(_ action: @escaping @Sendable () -> Void) { onCancel.withLock { $0 = action } }

    func pause() {}

    func resume() {}
}
