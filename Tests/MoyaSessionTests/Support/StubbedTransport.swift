import Foundation
import MoyaTransport

/// Answers exchanges as a test scripts, on the thread that starts them.
final class StubbedTransport: Transport {
    /// The course of one exchange.
    enum Answer: Sendable {
        case response(Int, [(String, String)] = [], String = "", trailers: [(String, String)] = [])
        /// A response that breaks off behind these bytes.
        case cut(Int, [(String, String)] = [], String = "")
        case failure(TransportFailure.Kind)
        /// Nothing, until the exchange is cancelled.
        case silence
    }

    private struct State {
        var answers: [Answer]
        var requests: [HTTPRequest] = []
        var cancellations = 0
        var pauses = 0
        var resumptions = 0
    }

    private let state: Lock<State>

    convenience init(_ answers: Answer...) { self.init(answers) }

    init(_ answers: [Answer]) { state = Lock(State(answers: answers)) }

    var requests: [HTTPRequest] { state.withLock { $0.requests } }
    var cancellations: Int { state.withLock { $0.cancellations } }
    var pauses: Int { state.withLock { $0.pauses } }
    var resumptions: Int { state.withLock { $0.resumptions } }

    func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
        // The last answer repeats.
        let answer = state.withLock { state in
            state.requests.append(request)
            return state.answers.count > 1 ? state.answers.removeFirst() : state.answers[0]
        }
        let exchange = Exchange(transport: self, sink: sink)
        switch answer {
        case .response(let status, let fields, let body, let trailers):
            exchange.send(status, fields, body)
            exchange.end(nil, trailers: trailers)
        case .cut(let status, let fields, let body):
            exchange.send(status, fields, body)
            exchange.end(TransportFailure(.truncated, message: "as the test says"))
        case .failure(let kind): exchange.end(TransportFailure(kind, message: "as the test says"))
        case .silence: break
        }
        return exchange
    }

    private final class Exchange: TransportExchange {
        private let transport: StubbedTransport
        private let sink: any TransportSink
        private let isEnded = Lock(false)

        init(transport: StubbedTransport, sink: any TransportSink) {
            self.transport = transport
            self.sink = sink
        }

        func send(_ status: Int, _ fields: [(String, String)], _ body: String) {
            let fields = fields.map { HTTPField(name: $0.0, value: $0.1) }
            _ = sink.receive(.head(TransportResponseHead(status: status, fields: fields)))
            var bytes = Array(body.utf8)
            bytes.withUnsafeMutableBytes { _ = sink.receive(.chunk(UnsafeRawBufferPointer($0))) }
        }

        func end(_ failure: TransportFailure?, trailers: [(String, String)] = []) {
            guard !isEnded.exchange(true) else { return }
            let trailers = trailers.map { HTTPField(name: $0.0, value: $0.1) }
            _ = sink.receive(.end(TransportEnd(failure: failure, trailers: trailers)))
        }

        func cancel() {
            transport.state.withLock { $0.cancellations += 1 }
            end(TransportFailure(.cancelled, message: "cancelled"))
        }

        func pause() { transport.state.withLock { $0.pauses += 1 } }

        func resume() { transport.state.withLock { $0.resumptions += 1 } }
    }
}
