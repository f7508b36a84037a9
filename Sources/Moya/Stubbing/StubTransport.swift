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
    private let answered = Mutex<Answer?>(nil)

    /// What a stub has answered with, as far as it is not in the exchange.
    enum Answer {
        case networkResponse
        /// With Foundation's response, which the caller gets back as it is.
        case response(HTTPURLResponse)
        case networkError(NSError)

        fileprivate init(_ sample: EndpointSampleResponse) {
            self =
                switch sample {
                case .networkResponse: .networkResponse
                case .response(let response, _): .response(response)
                case .networkError(let error): .networkError(error)
                }
        }
    }

    init(behavior: StubBehavior, sample: @escaping Endpoint.SampleResponseClosure) {
        self.behavior = behavior
        self.sample = sample
    }

    /// What was answered, once it was.
    var delivered: Answer? { answered.withLock { $0 } }

    func start(_ request: TransportRequest, delivering sink: any TransportSink) -> any TransportExchange {
        guard case .delayed(let seconds) = behavior, seconds > 0, seconds < .infinity else {
            answer(request, to: sink)
            return StoredExchange.shared
        }
        let exchange = DelayedStubExchange(sink: sink)
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) {
            if exchange.claimEnd() { self.answer(request, to: sink) }
        }
        return exchange
    }

    private func answer(_ request: TransportRequest, to sink: any TransportSink) {
        let sample = sample()
        answered.withLock { $0 = Answer(sample) }
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
        _ = sink.receive(.head(TransportResponseHead(status: status, contentLength: Int64(data.count))))
        if let request = sink as? Request {
            request.receive(whole: data)
        } else if !data.isEmpty {
            data.withUnsafeBytes { _ = sink.receive(.chunk($0)) }
        }
        _ = sink.receive(.end(TransportEnd()))
    }
}

/// An exchange with a stub that takes its time: answered or cancelled, whichever comes first.
private final class DelayedStubExchange: TransportExchange {
    private let sink: any TransportSink
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
