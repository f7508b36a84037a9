import Foundation
import MoyaSession
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Answers an exchange with a sample response, without a network, a thread or a descriptor.
///
/// An immediate stub answers before ``start(_:delivering:)`` returns.
final class StubTransport: Transport {
    private let behavior: StubBehavior
    /// The queue on which a delayed stub answers; `nil` for an immediate one.
    private let queue: DispatchQueue?
    private let sample: Endpoint.SampleResponseClosure
    /// The pace of a streamed sample; `nil` for one in a single piece.
    private let pace: SamplePace?
    private let answered = Lock<Answer?>(nil)

    /// The parts of a stub's response that are not in the exchange.
    enum Answer {
        case networkResponse
        /// A Foundation response, which the caller receives unchanged.
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

    init(
        behavior: StubBehavior, queue: DispatchQueue?, sample: @escaping Endpoint.SampleResponseClosure,
        pace: SamplePace? = nil
    ) {
        self.behavior = behavior
        self.queue = queue
        self.sample = sample
        self.pace = pace
    }

    /// The answer, after it was delivered.
    var delivered: Answer? { answered.withLock { $0 } }

    func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
        guard case .delayed(let seconds) = behavior, seconds > 0, let queue else {
            return answer(request, to: sink)
        }
        let exchange = DeferredExchange(delivering: sink)
        // The call retains both until its end, which may come first.
        queue.asyncAfter(deadline: .now() + seconds) { [weak self, weak exchange] in
            if let self { exchange?.start(request, over: StubAnswer(stub: self)) }
        }
        return exchange
    }

    /// The answer, when it is due.
    private struct StubAnswer: Transport {
        let stub: StubTransport

        func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
            stub.answer(request, to: sink)
        }
    }

    private func answer(_ request: HTTPRequest, to sink: any TransportSink) -> any TransportExchange {
        let sample = sample()
        answered.withLock { $0 = Answer(sample) }
        if request.reportsSentBytes {
            let length = request.body.length
            _ = sink.receive(.sent(bytes: length ?? 0, expected: length))
        }
        switch sample {
        case .networkResponse(let status, let data):
            return deliver(TransportResponseHead(status: status, contentLength: Int64(data.count)), data, to: sink)
        case .response(let response, let data):
            return deliver(TransportResponseHead(response, length: data.count), data, to: sink)
        case .networkError(let error):
            // The session's retriers read the error as that of its task.
            let failure = TransportFailure(
                .other, message: error.localizedDescription, cause: SessionError.sessionTaskFailed(error: error))
            _ = sink.receive(.end(TransportEnd(failure: failure)))
            return FinishedExchange.shared
        }
    }

    private func deliver(
        _ head: TransportResponseHead, _ data: Data, to sink: any TransportSink
    ) -> any TransportExchange {
        if let pace {
            let exchange = SampleExchange(delivering: sink)
            exchange.start(head, data, at: pace)
            return exchange
        }
        _ = sink.receive(.head(head))
        if !data.isEmpty { data.withUnsafeBytes { _ = sink.receive(.chunk($0)) } }
        _ = sink.receive(.end(TransportEnd()))
        return FinishedExchange.shared
    }
}

extension TransportResponseHead {
    /// The head of a sample, whose body is decoded.
    fileprivate init(_ response: HTTPURLResponse, length: Int) {
        var headers = response.headers
        for name in ["Content-Encoding", "Transfer-Encoding"] { headers.remove(name: name) }
        headers.update(name: "Content-Length", value: String(length))
        self.init(status: response.statusCode, fields: headers.map { HTTPField(name: $0.name, value: $0.value) })
    }
}
