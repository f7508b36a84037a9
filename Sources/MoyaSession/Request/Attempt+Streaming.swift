import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A response whose body is passed to a reader as it arrives: its head is validated, then the reader owns the body.
extension Attempt {
    /// Prepares the request: time limits end with the head, and the exchange is not shared.
    func prepareStream(_ sent: inout HTTPRequest, _ context: AttemptContext) {
        if !context.isStubbed {
            exchange.headLimit = context.timeouts?.attempt.map(\.positiveSeconds) ?? core.timeLimits.attempt
            if let deadline = context.deadline { core.watch(deadline) }
        }
        sent.timeouts.total = nil
        sent.usesCache = core.httpCache != nil
        sent.sharesExchange = false
    }

    /// Starts the attempt's time limit, which the transport does not know: the body may take longer.
    func watchForHead() {
        guard let deadline = Deadline(in: exchange.headLimit) else { return }
        request.mutableState.withLock { if !$0.machine.isOver { $0.makeRare().headDeadline = deadline } }
        core.watch(deadline)
    }

    /// Validates the head of the response, and opens the stream if it is accepted.
    func validateStream(_ head: TransportResponseHead) -> TransportDemand {
        let isInline = request.deliversInline
        let waits = request.mutableState.withLock { state in
            guard !isInline, state.validators.contains(where: { $0.callsUserCode }) else { return false }
            state.decision = .awaited
            return true
        }
        guard waits else {
            if accepts(head) { open() }
            return .more
        }
        validateOnQueue(head)
        return .wait
    }

    /// Validates the head where user code may run, then lets the transport read the body.
    func validateOnQueue(_ head: TransportResponseHead) {
        core.rootQueue.async { [self] in
            if accepts(head) { open() }
            apply(.allow)
        }
    }

    /// `true` if the head passes validation; without validators, if its status code is from 200 to 299.
    private func accepts(_ head: TransportResponseHead) -> Bool {
        let (isOver, validators, location, urlRequest) = request.mutableState.withLock {
            ($0.machine.isOver, $0.validators, $0.location, request.lastRequest(in: &$0))
        }
        guard !isOver else { return false }
        guard let url = location?.url else {
            exchange.refusal = .invalidURL(url: location?.text ?? "")
            return false
        }
        guard !validators.isEmpty else { return (200..<300).contains(head.status) }
        var input = ValidationInput(
            request: urlRequest, head: head, url: url, data: nil, file: nil,
            isPassedOn: head.contentLength != 0 && head.status != 204 && head.status != 205)
        do throws(SessionError) {
            try validators.forEach { validator throws(SessionError) in try validate(&input, by: validator) }
            return true
        } catch {
            exchange.refusal = error
            return false
        }
    }

    /// Notifies the call of the head; from here on nothing is retried, and only the idle deadline applies.
    private func open() {
        guard let body = body as? StreamBody else { return }
        let opened = request.mutableState.withLock { state -> (RequestOutcome, (any RequestEndObserver)?)? in
            // Validation may take longer than the exchange, and another attempt may follow.
            guard state.isExchanging(number), state.rare?.isLate != true else { return nil }
            // From here on an end is that of the stream.
            body.accept()
            body.stream.open()
            state.deadline = nil
            state.rare?.headDeadline = nil
            return (RequestOutcome(of: request, state), state.endObserver.take())
        }
        if let opened { opened.1?.didOpen(request, opened.0) }
    }
}

extension Attempt {
    /// The failure of the attempt of a stream whose response was not accepted in time.
    var headTimeout: TransportFailure {
        TransportFailure(
            .timeout(.total), message: "No response was there to be streamed after \(exchange.headLimit ?? 0) seconds.")
    }
}

extension Request {
    /// `true` if nothing is retried, because a reader has the response.
    var isStreaming: Bool { stream?.isOpen ?? false }

    /// Makes the transport resume reading, unless the request is on hold.
    func readOn() {
        mutableState.withLock { $0.isOnHold ? nil : $0.exchange }?.setPaused { mutableState.withLock { $0.isOnHold } }
    }

    /// Makes the body of an accepted response go to a reader; must be called before the request is started.
    @discardableResult
    package func streamResponse() -> ResponseStream {
        let stream = ResponseStream()
        self.stream = stream
        return stream
    }
}
