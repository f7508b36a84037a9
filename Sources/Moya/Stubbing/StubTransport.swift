import Foundation
import MoyaSession
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Answers an exchange with a sample response: no network, no thread, no descriptor.
///
/// An immediate answer is given before ``start(_:delivering:)`` returns.
final class StubTransport: Transport {
    private let behavior: StubBehavior
    private let sample: Endpoint.SampleResponseClosure
    private let answered = Mutex<EndpointSampleResponse?>(nil)

    init(behavior: StubBehavior, sample: @escaping Endpoint.SampleResponseClosure) {
        self.behavior = behavior
        self.sample = sample
    }

    /// What was answered, once it was.
    var delivered: EndpointSampleResponse? { answered.withLock { $0 } }

    func start(_ request: TransportRequest, delivering sink: any TransportSink) -> any TransportExchange {
        let exchange = StubExchange(sink: sink)
        if case .delayed(let seconds) = behavior, seconds > 0, seconds < .infinity {
            DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { self.answer(request, exchange) }
        } else {
            answer(request, exchange)
        }
        return exchange
    }

    private func answer(_ request: TransportRequest, _ exchange: StubExchange) {
        guard exchange.claimEnd() else { return }
        let sample = sample()
        answered.withLock { $0 = sample }
        let sink = exchange.sink
        if request.reportsSentBytes {
            let count = request.body.knownLength
            _ = sink.receive(.sent(bytes: count, expected: count))
        }
        switch sample {
        case .networkResponse(let status, let data): deliver(status, data, to: sink)
        case .response(let response, let data): deliver(response.statusCode, data, to: sink)
        case .networkError(let error):
            let failure = TransportFailure(.other, message: error.localizedDescription, cause: error)
            _ = sink.receive(.end(TransportEnd(failure: failure)))
        }
    }

    private func deliver(_ status: Int, _ data: Data, to sink: any TransportSink) {
        let fields = [HTTPField(name: "Content-Length", value: String(data.count))]
        _ = sink.receive(.head(TransportResponseHead(status: status, fields: fields)))
        data.withUnsafeBytes { bytes in
            if !bytes.isEmpty { _ = sink.receive(.chunk(bytes)) }
        }
        _ = sink.receive(.end(TransportEnd()))
    }
}

/// An exchange with a stub: answered or cancelled, whichever comes first.
private final class StubExchange: TransportExchange {
    let sink: any TransportSink
    private let isEnded = Atomic(false)

    init(sink: any TransportSink) {
        self.sink = sink
    }

    /// `true` for the first to end the exchange.
    func claimEnd() -> Bool { !isEnded.exchange(true, ordering: .acquiringAndReleasing) }

    func cancel() {
        guard claimEnd() else { return }
        _ = sink.receive(.end(TransportEnd(failure: TransportFailure(.cancelled, message: "The stub was cancelled."))))
    }

    func pause() {}

    func resume() {}
}

extension TransportBody {
    /// The length in bytes, 0 when it is not known.
    fileprivate var knownLength: Int64 {
        switch self {
        case .none: 0
        case .data(let data): Int64(data.count)
        case .file(_, let length): length
        case .stream(_, let length): length ?? 0
        }
    }
}
