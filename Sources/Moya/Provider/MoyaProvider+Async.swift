public import Foundation
import MoyaSession

extension MoyaProvider {
    /// Calls a target and returns its response.
    ///
    /// Cancelling the Swift task cancels the call. The plugins' `didReceive` and `process` run in the task that awaits.
    ///
    /// - Throws: `MoyaError`; for a cancelled call, one whose underlying error is `NSURLErrorDomain` -999.
    public func request(_ target: Target) async throws(MoyaError) -> Response {
        try await result(of: target, deadlines: nil).get()
    }

    /// Calls a target and returns its response, or fails when the whole call takes longer than a total deadline.
    ///
    /// - Throws: `MoyaError`; past the deadline, a `URLError` of code `timedOut` inside.
    public func request(_ target: Target, deadline: Duration) async throws(MoyaError) -> Response {
        try await result(of: target, deadlines: Deadlines(total: deadline)).get()
    }

    /// Calls a target and returns its response, with deadlines that win over those of the target and the provider.
    ///
    /// - Throws: `MoyaError`; past a deadline, a `URLError` of code `timedOut` inside.
    public func request(_ target: Target, deadlines: Deadlines) async throws(MoyaError) -> Response {
        try await result(of: target, deadlines: deadlines).get()
    }

    /// Calls a target and decodes the body of its response.
    ///
    /// A status code outside 200...299 is no value: it throws `MoyaError.statusCode`, unless the target's own
    /// `validationType` has judged the response before.
    ///
    /// - Parameters:
    ///   - target: What is called.
    ///   - type: What the body holds.
    ///   - keyPath: Where in the body the value is, by keys with dots between them; the whole body when `nil`.
    ///   - decoder: Decodes the value.
    ///   - failsOnEmptyData: Whether an empty body is an error, rather than an empty object.
    ///   - deadline: How long the whole call may take; as the target and the provider say when `nil`.
    /// - Throws: `MoyaError`.
    public func request<D: Decodable & Sendable>(
        _ target: Target,
        as type: D.Type,
        atKeyPath keyPath: String? = nil,
        using decoder: JSONDecoder = JSONDecoder(),
        failsOnEmptyData: Bool = true,
        deadline: Duration? = nil
    ) async throws(MoyaError) -> D {
        var response = try await result(of: target, deadlines: deadline.map { Deadlines(total: $0) }).get()
        if target.validationType == .none { response = try response.filterSuccessfulStatusCodes() }
        return try response.map(type, atKeyPath: keyPath, using: decoder, failsOnEmptyData: failsOnEmptyData)
    }

    private func result(of target: Target, deadlines: Deadlines?) async -> Result<Response, MoyaError> {
        // A subclass's own way of calling, and joining an equal call, are those of the completion form.
        guard !isSubclass, !trackInflights else { return await resultOfCompletionForm(target, deadlines) }
        if let deadlines = deadlinesOfJourney(to: target, deadlines) {
            return await journey(to: target, endpoint(target), stubClosure(target), deadlines).run()
        }
        let opening = skipsEndpoints ? opening(of: target) : nil
        if case .plain(let plain) = opening, plugins.isEmpty { return await result(of: plain, target) }
        let call = ProviderCall(awaited: target, plugins: plugins)
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                guard call.resume(continuation) else { return }
                start(call, target, opening ?? .endpoint(endpoint(target)))
            }
        } onCancel: {
            call.cancel()
        }
        return call.awaitedResult()
    }

    /// Has the session's request awaited itself, where nobody else has to do with the call.
    private func result(of plain: PlainRequest, _ target: Target) async -> Result<Response, MoyaError> {
        guard !_Concurrency.Task.isCancelled else { return .failure(.cancelled) }
        let behavior = stubClosure(target)
        let stub = behavior.isStub ? StubTransport(behavior: behavior, sample: Self.sample(of: target)) : nil
        let request = session.request(plain: plain)
        await request.run(accepting: target.validationType.acceptableStatusCodes, carriedBy: stub)
        var result: Result<Response, MoyaError>?
        let sample = stub?.delivered
        request.withOutcome { result = $0.result(sample: sample) }
        return result ?? .failure(.cancelled)
    }

    private func resultOfCompletionForm(
        _ target: Target, _ deadlines: Deadlines?
    ) async -> Result<Response, MoyaError> {
        let token = LateCancellable()
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let completion: SendableCompletion = { continuation.resume(returning: $0) }
                if let deadlines {
                    token.set(
                        request(target, deadlines: deadlines, callbackQueue: .global(), completion: completion))
                } else {
                    token.set(request(target, callbackQueue: .global(), progress: nil, completion: completion))
                }
            }
        } onCancel: {
            token.cancel()
        }
    }
}
