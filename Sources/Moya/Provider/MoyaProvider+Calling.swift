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
        let endpoint = endpoint(target)
        let behavior = stubClosure(target)
        guard trackInflights else {
            let call = ProviderCall(
                target: target, plugins: plugins, queue: callbackQueue, progress: progress, calls: calls,
                completion: completion)
            start(call, target, endpoint, behavior)
            return call
        }
        let caller = InflightCaller(
            target: target, plugins: plugins, queue: callbackQueue ?? (behavior.isImmediate ? nil : .main),
            progress: progress, completion: completion)
        if let leader = inflight.join(caller, to: endpoint) {
            let call = ProviderCall(
                target: target, plugins: plugins, queue: callbackQueue, progress: { leader.report($0) },
                processes: false, calls: calls, completion: { leader.finish(with: $0) })
            leader.lead(call)
            start(call, target, endpoint, behavior)
        }
        return caller
    }

    /// Asks for the request of a call and sends it, to the network or to its stub.
    func start(_ call: ProviderCall, _ target: Target, _ endpoint: Endpoint, _ behavior: StubBehavior) {
        let session = session
        requestClosure(endpoint) { [weak self] result in
            guard let request = call.take(result) else { return }
            guard behavior.isStub else { return call.send(request, endpoint.task, in: session) }
            guard let self, self.isSubclass else {
                return call.stub(request, as: behavior, with: endpoint, in: session)
            }
            // A subclass may stub in its own way, and may ask this class to do it after all.
            self.stubProgress.keep(call.progress, for: endpoint)
            let token = self.stubRequest(
                target, request: request, callbackQueue: call.queue, completion: { call.finish(with: $0) },
                endpoint: endpoint, stubBehavior: behavior)
            call.isStubbed(by: token)
        }
    }

    var isSubclass: Bool { type(of: self) != MoyaProvider<Target>.self }

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
