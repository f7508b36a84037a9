import Foundation
import MoyaSession
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Through the middleware, and back.
extension ProviderCall {
    /// Has the call pass its middleware: in the task that awaits it, else in a new task.
    ///
    /// A total deadline ends an awaited call even where its middleware does not heed a cancellation, and so takes a task too.
    func pass(_ beginning: Beginning, _ answer: Answer) {
        let (isOver, awaiting) = state.withLock { state -> (Bool, UnsafeContinuation<Void, Never>?) in
            guard !state.isFinished else { return (true, nil) }
            guard case .task(let continuation?) = state.consumer, route?.deadlines.total == nil else {
                return (false, nil)
            }
            state.consumer = .task(nil)
            state.parked = (beginning, answer)
            return (false, continuation)
        }
        // Stopped while the request closure ran.
        guard !isOver else { return }
        if let awaiting { return awaiting.resume() }
        let chain = _Concurrency.Task { [self] in arrive(.final(await result(of: beginning, answer))) }
        let isStopped = state.withLock { state in
            if !state.isFinished { state.chain = chain }
            return state.stopped != nil
        }
        if isStopped { chain.cancel() }
    }

    /// Passes the middleware in the task that awaits the call, where that is to be done.
    func passInTask() async {
        guard let (beginning, answer) = state.withLock({ $0.parked.take() }) else { return }
        arrive(.final(await result(of: beginning, answer)))
    }

    private func result(of beginning: Beginning, _ answer: Answer) async -> Result<Response, MoyaError> {
        guard let route, let target else { return .failure(.cancelled) }
        guard let request = await answer.value, !_Concurrency.Task.isCancelled else {
            let result = Result<Response, MoyaError>.failure(stopped ?? .cancelled)
            for plugin in plugins { plugin.didReceive(result, target: target) }
            return plugins.process(result, target: target)
        }
        var call: Call
        switch request {
        case .failure(let error): return plugins.process(.failure(error), target: target)
        case .success(let request):
            call = Call(
                target: target, task: beginning.endpoint.task, request: request, deadlines: route.deadlines,
                number: route.number, timeline: route.timeline)
        }
        call.plugins = PluginContext(plugins: plugins, target: target, session: beginning.session)
        let next = Next(middleware: route.middleware) { [self] call throws(MoyaError) in
            try await attempt(call, beginning, on: route).get()
        }
        do throws(MoyaError) {
            return .success(try await next(call))
        } catch {
            return .failure(error)
        }
    }

    /// Sends the request of a call that has passed the middleware.
    private func attempt(
        _ call: Call, _ beginning: Beginning, on route: CallRoute
    ) async -> Result<Response, MoyaError> {
        let attempt = ProviderCall(
            target: target, plugins: route.placesPlugins ? [] : plugins, queue: queue, consumer: .task(nil),
            parent: self, route: route, unsent: call.impending, credentialFields: call.credentialFields,
            isStreamed: isStreamed)
        return await attempt.value { attempt.begin(beginning) { $1(.success(call.request)) } }
    }
}
