import Foundation
import MoyaTransport

/// Ends an attempt after its exchange: moves the body, validates and reports the result.
extension Attempt {
    /// Handles the end of the exchange.
    func finish(_ end: TransportEnd) {
        if !end.trailers.isEmpty {
            request.mutableState.withLock { if !$0.machine.isOver { $0.makeRare().trailers = end.trailers } }
        }
        guard request.stream != nil else { return finishWhole(end) }
        if request.isStreaming {
            record(end.storedMetrics)
            let url = self.url
            return self.end(exchange.failure ?? end.failure.map { SessionError($0, url: url) })
        }
        if let body = body as? StreamBody, body.isCut {
            // A refused response of which enough was received counts as a success.
            exchange.failure = nil
            return finishWhole(TransportEnd(metrics: end.metrics))
        }
        // The exchange may have ended just as its head was too late.
        let isLate = request.mutableState.withLock { $0.rare?.isLate == true }
        finishWhole(isLate ? TransportEnd(failure: headTimeout, metrics: end.metrics) : end)
    }

    private func finishWhole(_ end: TransportEnd) {
        let hasFailed = exchange.failure != nil || end.failure != nil
        // Monitors are notified of each validation, and a downloaded file is checked and moved.
        let looksAtMore = hasFailed || monitor != nil || body.isMoved
        let data = body.takeData()
        let next = request.mutableState.withLock { state -> AfterExchange in
            guard !state.machine.isOver else { return .nothing }
            state.data = data
            guard !looksAtMore, let verdict = state.verdictOnStatus else {
                return .validation(callsUser: body.isMoved || state.validators.contains { $0.callsUserCode })
            }
            // In the usual case, the request ends under a single lock.
            if let metrics = end.storedMetrics { state.record(metrics) }
            let action = state.endExchange(verdict.error)
            guard case .decide(let attempt) = action,
                let over = state.finish(attempt, hasRetriers: !request.interceptors.isEmpty)
            else { return .action(action) }
            return .end(over)
        }
        switch consume next {
        case .end(let end): end.announce(of: request)
        case .action(let action): request.act(on: action)
        case .nothing: body.discard()
        case .validation(let callsUser):
            record(end.storedMetrics)
            if hasFailed { return fail(end) }
            guard callsUser, !request.deliversInline else { return validate() }
            request.watchDeadline(in: .exchanging, of: number)
            core.rootQueue.async { self.validate() }
        }
    }

    /// The next step after the end of an exchange.
    private enum AfterExchange {
        /// Nothing, because the request was already over.
        case nothing
        /// The request is over with this result.
        case end(MutableState.End)
        case action(RequestStateMachine.Action)
        /// More than the status code has to be checked.
        case validation(callsUser: Bool)
    }

    /// Records the metrics of an exchange.
    func record(_ metrics: StoredMetrics?) {
        guard let metrics else { return }
        let isRecorded = request.mutableState.withLock { state in
            guard !state.machine.isOver else { return false }
            state.record(metrics)
            return true
        }
        guard isRecorded else { return }
        report(.didGatherMetrics(metrics.value))
    }

    private func fail(_ end: TransportEnd) {
        let (url, hasHead) = request.mutableState.withLock { ($0.location, $0.head != nil) }
        let error = exchange.failure ?? end.failure.map { SessionError($0, url: url?.url) }
        body.discard()
        if !hasHead, let error { request.reportTask { .didFailTaskEarly($0, error) } }
        self.end(error)
    }

    private func validate() {
        let (isEnding, head, location) = request.mutableState.withLock {
            ($0.machine.isEnding, $0.head, $0.location)
        }
        // User code is not called after the end of a request.
        guard !isEnding else {
            body.discard()
            return end(nil)
        }
        // The head of a stream was validated when it arrived.
        if let refusal = exchange.refusal { return end(refusal) }
        guard let head else { return end(nil) }
        guard let url = location?.url else { return end(.invalidURL(url: location?.text ?? "")) }
        guard body.isMoved else { return end(errorOfValidators(head, url)) }
        body.move(head: head, url: url, in: self) { error in
            self.end(error ?? self.errorOfValidators(head, url))
        }
    }

    /// Runs work that may block for long, and continues where validations run.
    func runBlocking<Value: Sendable>(
        _ work: @escaping @Sendable () -> Value, then continuation: @escaping @Sendable (Value) -> Void
    ) {
        guard !request.deliversInline else { return continuation(work()) }
        let queue = core.rootQueue
        DispatchQueue.global().async {
            let value = work()
            queue.async { continuation(value) }
        }
    }

    private func errorOfValidators(_ head: TransportResponseHead, _ url: URL) -> SessionError? {
        let (validators, urlRequest, data, fileURL) = request.mutableState.withLock { state in
            let validators = state.machine.isEnding ? InlineArray1() : state.validators
            return (validators, request.lastRequest(in: &state), state.data, state.fileURL)
        }
        guard !validators.isEmpty else { return nil }
        var input = ValidationInput(
            request: urlRequest, head: head, url: url, data: data, file: body.isMoved ? .some(fileURL) : nil,
            isPassedOn: request.passesBodyOn && exchange.received > 0)
        do throws(SessionError) {
            try validators.forEach { validator throws(SessionError) in try validate(&input, by: validator) }
            return nil
        } catch {
            return error
        }
    }

    func validate(_ input: inout ValidationInput, by validator: ResponseValidator) throws(SessionError) {
        guard request.mutableState.withLock({ !$0.machine.isEnding }) else { return }
        let result: Result<Void, SessionError>
        do throws(SessionError) {
            try validator.validate(&input)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        // The end of a request that its own validation has ended was already reported.
        if monitor != nil, !request.isOver {
            report(
                .didValidate(
                    input.request, input.head, input.url, data: input.data, fileURL: input.fileURL,
                    result.mapError { $0 as any Error }))
        }
        try result.get()
    }

    private func end(_ error: SessionError?) {
        let action = request.mutableState.withLock { $0.endExchange(error) }
        guard action != .none else { return }
        request.reportTask { .didCompleteTask($0, error) }
        request.act(on: action)
    }
}

extension SessionError {
    /// Converts the failure of an exchange; keeps the ``SessionError`` that caused it, if any.
    fileprivate init(_ failure: TransportFailure, url: URL?) {
        if let cause = failure.cause as? SessionError {
            self = cause
        } else if case .tls(.refusedByPolicy) = failure.kind, let cause = failure.cause {
            self = .serverTrustEvaluationFailed(reason: .customEvaluationFailed(error: cause))
        } else {
            self.init(transportFailure: failure, url: url)
        }
    }
}
