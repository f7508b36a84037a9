public import Foundation
import MoyaSession

extension MoyaProvider {
    /// Calls a target and returns its response.
    ///
    /// Cancelling the Swift task cancels the call. The plugins' `didReceive` and `process` run in the task that awaits.
    ///
    /// - Throws: `MoyaError`; for a cancelled call, one whose underlying error is `NSURLErrorDomain` -999.
    public func request(_ target: Target) async throws(MoyaError) -> Response {
        try await result(of: target, nil).get()
    }

    /// Calls a target and returns its response, or fails when the whole call takes longer than a total deadline.
    ///
    /// - Throws: `MoyaError`; past the deadline, a `URLError` of code `timedOut` inside.
    public func request(_ target: Target, deadline: Duration) async throws(MoyaError) -> Response {
        try await result(of: target, CallLimits(deadlines: Deadlines(total: deadline))).get()
    }

    /// Calls a target and returns its response, with deadlines that win over those of the target and the provider.
    ///
    /// - Throws: `MoyaError`; past a deadline, a `URLError` of code `timedOut` inside.
    public func request(_ target: Target, deadlines: Deadlines) async throws(MoyaError) -> Response {
        try await result(of: target, CallLimits(deadlines: deadlines)).get()
    }

    /// Calls a target and returns its response, which may not be longer than the caller wants.
    ///
    /// - Parameters:
    ///   - target: The target.
    ///   - deadlines: How long the call may take; as the target and the provider say where a limit is `nil`.
    ///   - maximumResponseBytes: The most bytes of the response, counted after decoding, whatever the target and the session
    ///     say; `Int.max` for no bound.
    /// - Throws: `MoyaError`; for a longer response, `SessionError.responseTooLarge` inside.
    public func request(
        _ target: Target, deadlines: Deadlines = Deadlines(), maximumResponseBytes: Int
    ) async throws(MoyaError) -> Response {
        try await result(
            of: target, CallLimits(deadlines: deadlines, maximumResponseBytes: maximumResponseBytes)
        ).get()
    }

    /// Calls a target and decodes the body of its response.
    ///
    /// A status code outside 200...299 is no value: it throws `MoyaError.statusCode`, unless the target's own
    /// `validationType` has judged the response before.
    ///
    /// - Parameters:
    ///   - target: The target of the call.
    ///   - type: The type in the body.
    ///   - keyPath: The path of the value in the body, as keys with dots between them; the whole body when `nil`.
    ///   - decoder: Decodes the value.
    ///   - failsOnEmptyData: `true` if an empty body is an error, rather than an empty object.
    ///   - deadline: The time limit of the whole call; that of the target and the provider when `nil`.
    ///   - maximumResponseBytes: The most bytes of the response, counted after decoding; as the target and the session say
    ///     when `nil`.
    /// - Throws: `MoyaError`.
    public func request<D: Decodable & Sendable>(
        _ target: Target,
        as type: D.Type,
        atKeyPath keyPath: String? = nil,
        using decoder: JSONDecoder = JSONDecoder(),
        failsOnEmptyData: Bool = true,
        deadline: Duration? = nil,
        maximumResponseBytes: Int? = nil
    ) async throws(MoyaError) -> D {
        let isLimited = deadline != nil || maximumResponseBytes != nil
        let limits = CallLimits(deadlines: Deadlines(total: deadline), maximumResponseBytes: maximumResponseBytes)
        var response = try await result(of: target, isLimited ? limits : nil).get()
        if target.validationType == .none { response = try response.filterSuccessfulStatusCodes() }
        return try response.map(type, atKeyPath: keyPath, using: decoder, failsOnEmptyData: failsOnEmptyData)
    }

    private func result(of target: Target, _ limits: CallLimits?) async -> Result<Response, MoyaError> {
        // A subclass's own way of calling, and joining an equal call, are those of the completion form.
        guard !isSubclass, !trackInflights else { return await resultOfCompletionForm(target, limits) }
        let opening = opening(of: target)
        let call = ProviderCall(
            target: isSeen(opening) ? target : nil, plugins: plugins, consumer: .task(nil),
            route: route(of: target, limits, to: opening.url))
        return await call.value { begin(call, target, opening, stubClosure(target)) }
    }

    private func resultOfCompletionForm(
        _ target: Target, _ limits: CallLimits?
    ) async -> Result<Response, MoyaError> {
        let token = CancellationBox()
        let result = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let completion: SendableCompletion = { continuation.resume(returning: $0) }
                if !isSubclass {
                    token.set(
                        call(
                            target, callbackQueue: .global(), progress: nil, limits: limits, isAwaited: true,
                            completion: completion))
                } else if let limits {
                    token.set(
                        request(
                            target, limits: limits, callbackQueue: .global(), progress: nil, completion: completion))
                } else {
                    token.set(request(target, callbackQueue: .global(), progress: nil, completion: completion))
                }
            }
        } onCancel: {
            token.cancel()
        }
        return _Concurrency.Task.isCancelled ? .failure(.cancelled) : result
    }
}
