public import Foundation
import MoyaSession

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension MoyaProvider {
    /// Calls a target as ``request(_:callbackQueue:progress:completion:)`` does when it is not overridden, on the queue
    /// given and no other.
    @preconcurrency
    public func requestNormal(
        _ target: Target, callbackQueue: DispatchQueue?, progress: SendableProgressBlock?,
        completion: @escaping SendableCompletion
    ) -> any Cancellable {
        call(
            target, callbackQueue: callbackQueue, progress: progress,
            limits: isSubclass ? CallLimits.current : nil, completion: completion)
    }

    /// Calls a target whose caller may set limits.
    ///
    /// - Parameter isAwaited: `true` if a task waits for the completion.
    func call(
        _ target: Target, callbackQueue: DispatchQueue?, progress: SendableProgressBlock?, limits: CallLimits?,
        isAwaited: Bool = false, completion: @escaping SendableCompletion
    ) -> any Cancellable {
        let opening = opening(of: target)
        let behavior = stubClosure(target)
        let route = route(of: target, limits, to: opening.url)
        guard trackInflights, case .endpoint(let endpoint) = opening else {
            let call = ProviderCall(
                target: isSeen(opening) ? target : nil, plugins: plugins, queue: callbackQueue, progress: progress,
                consumer: .completion(completion), route: route, calls: calls)
            begin(call, target, opening, behavior)
            return call
        }
        // Through middleware, plugins have processed what the call ends with.
        let passesMiddleware = route.map { !$0.middleware.isEmpty } ?? false
        let caller = CoalescedCaller(
            target: target, plugins: passesMiddleware ? [] : plugins,
            queue: callbackQueue ?? (behavior.isImmediate && !passesMiddleware ? nil : .main), progress: progress,
            isAwaited: isAwaited, completion: completion)
        let call = coalesced.join(caller, to: endpoint) { entry in
            ProviderCall(
                target: target, plugins: plugins, queue: caller.queue, consumer: .callers([caller]), route: route,
                coalescing: entry, calls: calls)
        }
        if let call { begin(call, target, opening, behavior) }
        return caller
    }

    /// `true` if anything sees the target of a call.
    func isSeen(_ opening: CallOpening) -> Bool { !opening.isPlain || !plugins.isEmpty }

    /// The middleware and the limits of a call; `nil` for one that has none.
    func route(of target: Target, _ own: CallLimits?, to url: String) -> CallRoute? {
        let (deadlines, bytes) = (target.deadlines, target.maximumResponseBytes)
        if settings.isEmpty, own == nil, deadlines == nil, bytes == nil { return nil }
        var limits = own ?? CallLimits()
        limits.deadlines = limits.deadlines.over(deadlines ?? Deadlines()).over(settings.deadlines)
        limits.maximumResponseBytes = limits.maximumResponseBytes ?? bytes
        return CallRoute(settings, limits, to: url)
    }

    /// Calls a target as ``request(_:callbackQueue:progress:completion:)`` does, with deadlines of the caller's.
    @discardableResult
    @preconcurrency
    public func request(
        _ target: Target, deadlines: Deadlines, callbackQueue: DispatchQueue? = nil,
        progress: SendableProgressBlock? = nil, completion: @escaping SendableCompletion
    ) -> any Cancellable {
        request(
            target, limits: CallLimits(deadlines: deadlines), callbackQueue: callbackQueue, progress: progress,
            completion: completion)
    }

    /// Calls a target as ``request(_:callbackQueue:progress:completion:)`` does, and takes no longer response than the caller
    /// wants.
    ///
    /// - Parameters:
    ///   - target: The target.
    ///   - deadlines: How long the call may take; as the target and the provider say where a limit is `nil`.
    ///   - maximumResponseBytes: The most bytes of the response, counted after decoding, whatever the target and the session
    ///     say; `Int.max` for no bound. A longer one ends the call with `SessionError.responseTooLarge`.
    ///   - callbackQueue: Where `progress` and `completion` run.
    ///   - progress: Called as bytes move.
    ///   - completion: Called exactly once.
    @discardableResult
    @preconcurrency
    public func request(
        _ target: Target, deadlines: Deadlines = Deadlines(), maximumResponseBytes: Int,
        callbackQueue: DispatchQueue? = nil, progress: SendableProgressBlock? = nil,
        completion: @escaping SendableCompletion
    ) -> any Cancellable {
        request(
            target, limits: CallLimits(deadlines: deadlines, maximumResponseBytes: maximumResponseBytes),
            callbackQueue: callbackQueue, progress: progress, completion: completion)
    }

    func request(
        _ target: Target, limits: CallLimits, callbackQueue: DispatchQueue?, progress: SendableProgressBlock?,
        completion: @escaping SendableCompletion
    ) -> any Cancellable {
        // A subclass's own way of calling takes part.
        CallLimits.$current.withValue(limits) {
            guard !isSubclass else {
                return request(target, callbackQueue: callbackQueue, progress: progress, completion: completion)
            }
            return call(
                target, callbackQueue: callbackQueue ?? self.callbackQueue, progress: progress, limits: limits,
                completion: completion)
        }
    }

    /// Sends a call on its way.
    func begin(_ call: ProviderCall, _ target: Target, _ opening: CallOpening, _ behavior: StubBehavior) {
        switch opening {
        case .endpoint(let endpoint):
            let stubbing = isSubclass && behavior.isStub ? stubbing(of: target, endpoint, behavior) : nil
            call.begin(
                ProviderCall.Beginning(endpoint: endpoint, behavior: behavior, session: session, stubbing: stubbing),
                by: requestClosure)
        case .plain(let plain):
            call.begin(
                plain, behavior, in: session, accepting: target.validationType, sample: Self.sample(of: target))
        }
    }

    /// Stubs as a subclass does, which may call this class after all.
    func stubbing(
        of target: Target, _ endpoint: Endpoint, _ behavior: StubBehavior
    ) -> @Sendable (ProviderCall, URLRequest) -> Void {
        { [weak self] call, request in
            guard let self else { return call.arrive(.stubbed(.failure(.cancelled))) }
            let token = StubProgress.$current.withValue(StubProgress(of: call, with: endpoint)) {
                self.stubRequest(
                    target, request: request, callbackQueue: call.queue,
                    completion: { call.arrive(.stubbed($0), inline: true) }, endpoint: endpoint, stubBehavior: behavior)
            }
            call.isStubbed(by: token)
        }
    }

    // MARK: Parts of a stub, for those who make their own

    /// Notifies the plugins and the completion that a call was cancelled; no queue is involved.
    @preconcurrency
    public func cancelCompletion(_ completion: Completion, target: Target) {
        let result = Result<Response, MoyaError>.failure(.cancelled)
        for plugin in plugins { plugin.didReceive(result, target: target) }
        completion(result)
    }

    /// A closure that delivers a stub: evaluates the sample, validates it, notifies the plugins and completes.
    @preconcurrency
    public final func createStubFunction(
        _ token: CancellableToken,
        forTarget target: Target,
        withCompletion completion: @escaping SendableCompletion,
        endpoint: Endpoint,
        plugins: [any PluginType],
        request: URLRequest
    ) -> (@Sendable () -> Void) {
        { [self] in
            guard !token.isCancelled else { return cancelCompletion(completion, target: target) }
            let result = endpoint.sampleResponseClosure().result(request: request, validation: target.validationType)
            for plugin in plugins { plugin.didReceive(result, target: target) }
            completion(result)
        }
    }

    /// Passes a request by the plugins' `prepare` and `willSend`, and returns what they made of it.
    public final func notifyPluginsOfImpendingStub(for request: URLRequest, target: Target) -> URLRequest {
        let prepared = plugins.reduce(request) { $1.prepare($0, target: target) }
        let unsent = UnsentRequest(prepared, in: session)
        for plugin in plugins { plugin.willSend(unsent, target: target) }
        return prepared
    }
}
