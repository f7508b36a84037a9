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
            deadlines: isSubclass ? CallDeadlines.current : nil, completion: completion)
    }

    /// Calls a target whose caller may have deadlines of its own.
    func call(
        _ target: Target, callbackQueue: DispatchQueue?, progress: SendableProgressBlock?, deadlines: Deadlines?,
        completion: @escaping SendableCompletion
    ) -> any Cancellable {
        let deadlines = deadlinesOfJourney(to: target, deadlines)
        if deadlines == nil, skipsEndpoints {
            let opening = opening(of: target)
            let call = ProviderCall(
                target: opening.isPlain && plugins.isEmpty ? nil : target, plugins: plugins, queue: callbackQueue,
                progress: progress, calls: calls, completion: completion)
            start(call, target, opening)
            return call
        }
        let endpoint = endpoint(target)
        let behavior = stubClosure(target)
        guard trackInflights else {
            if let deadlines {
                let call = LayeredCall(
                    queue: callbackQueue, progress: progress, calls: layeredCalls, completion: completion)
                call.start(journey(to: target, endpoint, behavior, deadlines))
                return call
            }
            let call = ProviderCall(
                target: target, plugins: plugins, queue: callbackQueue, progress: progress, calls: calls,
                completion: completion)
            start(call, target, endpoint, behavior)
            return call
        }
        // Through layers, plugins have processed what the leader ends with.
        let caller = InflightCaller(
            target: target, plugins: deadlines == nil ? plugins : [],
            queue: callbackQueue ?? (behavior.isImmediate ? nil : .main), progress: progress, completion: completion)
        guard let leader = inflight.join(caller, to: endpoint) else { return caller }
        if let deadlines {
            let call = LayeredCall(
                queue: callbackQueue, progress: { leader.report($0) }, calls: layeredCalls,
                completion: { leader.finish(with: $0) })
            leader.lead(call)
            call.start(journey(to: target, endpoint, behavior, deadlines))
        } else {
            let call = ProviderCall(
                target: target, plugins: plugins, queue: callbackQueue, progress: { leader.report($0) },
                processes: false, calls: calls, completion: { leader.finish(with: $0) })
            leader.lead(call)
            start(call, target, endpoint, behavior)
        }
        return caller
    }

    /// Calls a target as ``request(_:callbackQueue:progress:completion:)`` does, with deadlines of the caller's.
    @discardableResult
    @preconcurrency
    public func request(
        _ target: Target, deadlines: Deadlines, callbackQueue: DispatchQueue? = nil,
        progress: SendableProgressBlock? = nil, completion: @escaping SendableCompletion
    ) -> any Cancellable {
        // A subclass's own way of calling takes part.
        CallDeadlines.$current.withValue(deadlines) {
            guard !isSubclass else {
                return request(target, callbackQueue: callbackQueue, progress: progress, completion: completion)
            }
            return call(
                target, callbackQueue: callbackQueue ?? self.callbackQueue, progress: progress, deadlines: deadlines,
                completion: completion)
        }
    }

    /// Sends a call on its way.
    func start(_ call: ProviderCall, _ target: Target, _ opening: CallOpening) {
        let behavior = stubClosure(target)
        switch opening {
        case .endpoint(let endpoint): start(call, target, endpoint, behavior)
        case .plain(let plain):
            call.begin(
                plain, behavior, in: session, accepting: target.validationType, sample: Self.sample(of: target))
        }
    }

    /// Asks for the request of a call and sends it, to the network or to its stub.
    func start(_ call: ProviderCall, _ target: Target, _ endpoint: Endpoint, _ behavior: StubBehavior) {
        let session = session
        guard behavior.isStub, isSubclass else {
            let beginning = ProviderCall.Beginning(endpoint: endpoint, behavior: behavior, session: session)
            return call.begin(beginning, by: requestClosure)
        }
        // A subclass may stub in its own way, and may ask this class to do it after all.
        requestClosure(endpoint) { [weak self] result in
            guard let request = call.take(result) else { return }
            guard let self else { return call.stub(request, as: behavior, with: endpoint, in: session) }
            self.stubProgress.keep(call.progress, for: endpoint)
            let token = self.stubRequest(
                target, request: request, callbackQueue: call.queue, completion: { call.finish(with: $0) },
                endpoint: endpoint, stubBehavior: behavior)
            call.isStubbed(by: token)
        }
    }

    // MARK: Parts of a stub, for those who make their own

    /// Tells the plugins and the completion that a call was cancelled; no queue is involved.
    @preconcurrency
    public func cancelCompletion(_ completion: Completion, target: Target) {
        let result = Result<Response, MoyaError>.failure(.cancelled)
        for plugin in plugins { plugin.didReceive(result, target: target) }
        completion(result)
    }

    /// A closure that delivers a stub: evaluates the sample, validates it, tells the plugins and completes.
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
        let stub = ImpendingStub(request: prepared, unsent: session.request(prepared, interceptor: nil))
        for plugin in plugins { plugin.willSend(stub, target: target) }
        return prepared
    }
}
