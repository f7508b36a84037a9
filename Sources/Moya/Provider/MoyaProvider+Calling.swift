public import Foundation
import MoyaSession

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension MoyaProvider {
    /// Calls a target as ``request(_:callbackQueue:progress:completion:)`` does when it is not overridden, and uses
    /// only the given queue.
    @preconcurrency
    public func requestNormal(
        _ target: Target, callbackQueue: DispatchQueue?, progress: SendableProgressBlock?,
        completion: @escaping SendableCompletion
    ) -> any Cancellable {
        call(
            target, callbackQueue: callbackQueue, progress: progress,
            limits: isSubclass ? PassedLimits.limits(of: self) : nil, completion: completion)
    }

    /// Calls a target with optional limits of the caller.
    ///
    /// - Parameter isAwaited: `true` if a task awaits the completion.
    func call(
        _ target: Target, callbackQueue: DispatchQueue?, progress: SendableProgressBlock?, limits: CallLimits?,
        isAwaited: Bool = false, completion: @escaping SendableCompletion
    ) -> any Cancellable {
        let input = input(of: target)
        let behavior = stubClosure(target)
        let route = route(of: target, limits, to: input.url)
        // A call of a refresh must not join one that waits for the refresh. A length limit is the call's own, even if its
        // target sets it, and so is the destination of a download.
        guard trackInflights, !RefreshScope.isRefreshing, route?.maximumResponseBytes == nil,
            case .endpoint(let endpoint) = input, !endpoint.task.hasDestination
        else {
            let call = ProviderCall(
                target: isSeen(input) ? target : nil, plugins: plugins, queue: callbackQueue, progress: progress,
                consumer: .completion(completion), route: route, provider: self)
            start(call, target, input, behavior)
            return call
        }
        // In a call with middleware, plugins have already processed the result.
        let passesMiddleware = route.map { !$0.middleware.isEmpty } ?? false
        let caller = CoalescedCaller(
            target: target, plugins: passesMiddleware ? [] : plugins,
            queue: callbackQueue ?? (behavior.isImmediate && !passesMiddleware ? nil : .main), progress: progress,
            isAwaited: isAwaited, completion: completion)
        let call = coalesced.join(caller, to: endpoint) { entry in
            ProviderCall(
                target: target, plugins: plugins, queue: caller.queue, consumer: .callers([caller]), route: route,
                coalescing: entry, provider: self)
        }
        if let call { start(call, target, input, behavior) }
        return caller
    }

    /// `true` if any code can read the target of a call.
    func isSeen(_ input: CallInput) -> Bool { !input.isPlain || !plugins.isEmpty }

    /// The middleware and the limits of a call; `nil` for a call without them.
    func route(of target: Target, _ own: CallLimits?, to url: String) -> CallRoute? {
        let (deadlines, bytes) = (target.deadlines, target.maximumResponseBytes)
        if settings.isEmpty, own == nil, deadlines == nil, bytes == nil { return nil }
        var limits = own ?? CallLimits()
        if let deadlines { limits.deadlines = limits.deadlines.over(deadlines) }
        if !settings.isEmpty { limits.deadlines = limits.deadlines.over(settings.deadlines) }
        limits.maximumResponseBytes = limits.maximumResponseBytes ?? bytes
        return CallRoute(settings, limits, to: url)
    }

    /// Calls a target as ``request(_:callbackQueue:progress:completion:)`` does, with deadlines for this call.
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

    /// Calls a target as ``request(_:callbackQueue:progress:completion:)`` does, and limits the length of the response.
    ///
    /// - Parameters:
    ///   - target: The target.
    ///   - deadlines: The time limits of the call; those of the target and the provider for limits that are `nil`.
    ///   - maximumResponseBytes: The maximum number of response bytes, counted after decoding, in place of the target's
    ///     and the session's limit; `Int.max` for no limit. A longer response ends the call with
    ///     `SessionError.responseTooLarge`. The call does not join an equal one in flight.
    ///   - callbackQueue: The queue of `progress` and `completion`.
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

    /// Calls a target with these limits; those of a call whose override makes this one do not apply.
    func request(
        _ target: Target, limits: CallLimits?, callbackQueue: DispatchQueue?, progress: SendableProgressBlock?,
        completion: @escaping SendableCompletion
    ) -> any Cancellable {
        guard isSubclass else {
            return call(
                target, callbackQueue: callbackQueue ?? self.callbackQueue, progress: progress, limits: limits,
                completion: completion)
        }
        // The overridable method is called, so that a subclass's override runs.
        return PassedLimits.$current.withValue(limits.map { PassedLimits($0, of: self) }) {
            request(target, callbackQueue: callbackQueue, progress: progress) { result in
                PassedLimits.$current.withValue(nil) { completion(result) }
            }
        }
    }

    /// Starts a call.
    func start(
        _ call: ProviderCall, _ target: Target, _ input: consuming CallInput, _ behavior: StubBehavior
    ) {
        switch consume input {
        case .endpoint(let endpoint):
            let stubbing = isSubclass && behavior.isStub ? stubbing(of: target, endpoint, behavior) : nil
            call.start(
                ProviderCall.SendContext(endpoint: endpoint, behavior: behavior, session: session, stubbing: stubbing),
                by: requestClosure)
        case .plain(let plain):
            call.start(
                plain, behavior, in: session, accepting: target.validationType, sample: Self.sample(of: target))
        }
    }

    /// Stubs by a subclass's override, which may call its superclass.
    ///
    /// - Parameter pace: The pace of a streamed stub; `nil` for a sample that is delivered whole.
    func stubbing(
        of target: Target, _ endpoint: Endpoint, _ behavior: StubBehavior, at pace: SamplePace? = nil
    ) -> @Sendable (ProviderCall, URLRequest) -> Void {
        { [weak self] call, request in
            guard let self else { return call.arrive(.unreceived(.failure(.cancelled))) }
            let token = StubbedCall.$current.withValue(StubbedCall(call, of: target, by: self, at: pace)) {
                self.stubRequest(
                    target, request: request, callbackQueue: call.queue,
                    completion: { call.arrive(.unreceived($0), inline: true) }, endpoint: endpoint,
                    stubBehavior: behavior)
            }
            call.isStubbed(by: token)
        }
    }

    // MARK: Building blocks of custom stubs

    /// Notifies the plugins and the completion that a call was cancelled, on the calling thread.
    @preconcurrency
    public func cancelCompletion(_ completion: Completion, target: Target) {
        let result = Result<Response, MoyaError>.failure(.cancelled)
        for plugin in plugins { plugin.didReceive(result, target: target) }
        completion(result)
    }

    /// Returns a closure that delivers a stub: it evaluates the sample, validates it, notifies the plugins and
    /// completes.
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

    /// Passes a request through the plugins' `prepare` and `willSend`, and returns the prepared request.
    public final func notifyPluginsOfImpendingStub(for request: URLRequest, target: Target) -> URLRequest {
        let prepared = plugins.prepare(request, target: target)
        let unsent = UnsentRequest(prepared, in: session)
        for plugin in plugins { plugin.willSend(unsent, target: target) }
        return prepared
    }
}
