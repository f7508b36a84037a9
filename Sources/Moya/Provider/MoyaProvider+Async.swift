public import Foundation
public import MoyaSession
import MoyaTransport

extension MoyaProviderType {
    // Not of the class, whose subclasses could then not declare their own. Disfavored, so that an app's own function of
    // this shape with another result is not ambiguous.

    /// Calls a target and returns its response.
    ///
    /// Cancelling the Swift task cancels the call. The plugins' `didReceive` and `process` run in the awaiting task, or
    /// on a global queue if the call is tracked or a subclass makes it.
    ///
    /// - Throws: `MoyaError`; for a cancelled call, its underlying error is `NSURLErrorDomain` -999.
    @_disfavoredOverload
    @inlinable
    public func request(_ target: Target) async throws(MoyaError) -> Response {
        // It costs nothing where the compiler knows the provider's type.
        if let provider = self as? MoyaProvider<Target> { return try await provider.result(of: target).get() }
        return try await resultOfCompletionForm(target).get()
    }

    @usableFromInline
    func resultOfCompletionForm(_ target: Target) async -> Result<Response, MoyaError> {
        await awaitedResult { request(target, callbackQueue: .global(), progress: nil, completion: $0) }
    }

    /// Awaits the first completion of a call that is made by its completion form.
    fileprivate func awaitedResult(
        _ call: @Sendable (@escaping SendableCompletion) -> any Cancellable
    ) async -> Result<Response, MoyaError> {
        let token = CancellationBox()
        let result = await withTaskCancellationHandler {
            await withUnsafeContinuation { (continuation: UnsafeContinuation<Result<Response, MoyaError>, Never>) in
                // A subclass may complete twice, with a stored response and then the server's; the first one counts.
                let completes = Once()
                let completion: SendableCompletion = { if completes.isFirst() { continuation.resume(returning: $0) } }
                token.set(call(completion).completing(completion))
            }
        } onCancel: {
            token.cancel()
        }
        return _Concurrency.Task.isCancelled ? .failure(.cancelled) : result
    }
}

extension MoyaProvider {
    /// Calls a target and returns its response; fails when the whole call takes longer than a total deadline.
    ///
    /// - Throws: `MoyaError`; past the deadline, it contains a `URLError` of code `timedOut`.
    public func request(_ target: Target, deadline: Duration) async throws(MoyaError) -> Response {
        try await result(of: target, CallLimits(deadlines: Deadlines(total: deadline))).get()
    }

    /// Calls a target and returns its response, with deadlines that override those of the target and the provider.
    ///
    /// - Throws: `MoyaError`; past a deadline, it contains a `URLError` of code `timedOut`.
    public func request(_ target: Target, deadlines: Deadlines) async throws(MoyaError) -> Response {
        try await result(of: target, CallLimits(deadlines: deadlines)).get()
    }

    /// Calls a target and returns its response, up to a maximum number of bytes.
    ///
    /// - Parameters:
    ///   - target: The target.
    ///   - deadlines: The time limits of the call; those of the target and the provider for limits that are `nil`.
    ///   - maximumResponseBytes: The maximum number of response bytes, counted after decoding, in place of the target's
    ///     and the session's limit; `Int.max` for no limit.
    /// - Throws: `MoyaError`; for a longer response, its underlying error is `SessionError.responseTooLarge`.
    public func request(
        _ target: Target, deadlines: Deadlines = Deadlines(), maximumResponseBytes: Int
    ) async throws(MoyaError) -> Response {
        try await result(
            of: target, CallLimits(deadlines: deadlines, maximumResponseBytes: maximumResponseBytes)
        ).get()
    }

    /// Calls a target and decodes the body of its response.
    ///
    /// A status code outside 200...299 throws `MoyaError.statusCode`, unless the target has a `validationType` other
    /// than `.none`, which then decides alone.
    ///
    /// - Parameters:
    ///   - target: The target of the call.
    ///   - type: The type to decode.
    ///   - keyPath: The path of the value in the body, as keys separated by dots; `nil` for the whole body.
    ///   - decoder: Decodes the value.
    ///   - failsOnEmptyData: `true` if an empty body is an error; `false` to decode it as an empty object.
    ///   - deadline: The time limit of the whole call; `nil` for that of the target and the provider.
    ///   - maximumResponseBytes: The maximum number of response bytes, counted after decoding; `nil` for the target's
    ///     and the session's limit.
    /// - Throws: `MoyaError`.
    public func request<D: Decodable & Sendable>(
        _ target: Target,
        as type: D.Type,
        atKeyPath keyPath: String? = nil,
        using decoder: JSONDecoder = .moyaDefault,
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

    @usableFromInline
    func result(of target: Target) async -> Result<Response, MoyaError> { await result(of: target, nil) }

    private func result(of target: Target, _ limits: CallLimits?) async -> Result<Response, MoyaError> {
        // Subclass overrides and coalescing are implemented by the completion form.
        guard !isSubclass, !trackInflights else {
            guard !_Concurrency.Task.isCancelled else {
                // Notifies the plugins, and sends nothing.
                return await ProviderCall(target: target, plugins: plugins, consumer: .task(nil)).value {}
            }
            return await awaitedResult { completion in
                isSubclass
                    ? request(target, limits: limits, callbackQueue: .global(), progress: nil, completion: completion)
                    : self.call(
                        target, callbackQueue: .global(), progress: nil, limits: limits, isAwaited: true,
                        completion: completion)
            }
        }
        let input = input(of: target)
        let call = ProviderCall(
            target: isSeen(input) ? target : nil, plugins: plugins, consumer: .task(nil),
            route: route(of: target, limits, to: input.url))
        return await call.value { start(call, target, input, stubClosure(target)) }
    }
}

extension Cancellable {
    /// A value that also completes a call when it is cancelled.
    ///
    /// A subclass may return a value whose cancellation does not end the call, for example while it holds the call back.
    fileprivate func completing(_ completion: @escaping SendableCompletion) -> any Cancellable {
        if let call = self as? ProviderCall { return CancellableToken { call.cancel(endsNow: true) } }
        if let caller = self as? CoalescedCaller { return CancellableToken { caller.cancel(endsNow: true) } }
        return CancellableToken {
            cancel()
            completion(.failure(.cancelled))
        }
    }
}
