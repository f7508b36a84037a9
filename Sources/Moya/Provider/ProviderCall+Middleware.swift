import Foundation
import MoyaSession
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Passes a call through its middleware.
extension ProviderCall {
    /// Passes the call through its middleware, in the awaiting task or else in a new one.
    ///
    /// An awaited call with a total deadline also uses a new task, since its middleware may ignore cancellation.
    func pass(_ context: SendContext, _ answer: Answer) {
        var isAwaited = false
        let (isOver, awaiting) = state.withLock { state -> (Bool, UnsafeContinuation<Void, Never>?) in
            guard !state.isFinished, !state.isEnding else { return (true, nil) }
            state.isInMiddleware = true
            guard case .task(let continuation?) = state.consumer else { return (false, nil) }
            isAwaited = true
            guard route?.deadlines.total == nil else { return (false, nil) }
            state.consumer = .task(nil)
            state.parked = (context, answer)
            return (false, continuation)
        }
        // The call may have been stopped while the request closure ran, and its end notifies the plugins.
        guard !isOver else { return }
        if let awaiting { return awaiting.resume() }
        // The middleware of a shared call must not wait behind the work of the first caller's priority.
        let own = isAwaited ? self.priority : nil
        let priority = coalescing == nil ? own : max(.userInitiated, _Concurrency.Task.currentPriority)
        let chain = RefreshScope.$current.withValue(context.refreshScope) {
            _Concurrency.Task(priority: priority) { [self] in arrive(.final(await result(of: context, answer))) }
        }
        let isStopped = state.withLock { state in
            if !state.isFinished { state.chain = chain }
            return state.stopped != nil
        }
        if isStopped { chain.cancel() }
    }

    /// Passes the call through its middleware in the awaiting task, if it was stored for that.
    func passInTask() async {
        guard let (context, answer) = state.withLock({ $0.parked.take() }) else { return }
        arrive(.final(await result(of: context, answer)))
    }

    private func result(of context: SendContext, _ answer: Answer) async -> Result<Response, MoyaError> {
        guard let route, let target else { return .failure(.cancelled) }
        // The task of a call that was stopped meanwhile may begin before it is cancelled.
        if _Concurrency.Task.isCancelled { state.withLock { $0.stopped = $0.stopped ?? .cancelled } }
        guard stopped == nil else { return processed(.failure(.cancelled)) }
        var call: MiddlewareCall
        switch answer {
        case .failure(let error): return plugins.process(.failure(error), target: target)
        case .success(let request):
            call = MiddlewareCall(
                target: target, task: context.endpoint.task, request: request, deadlines: route.deadlines,
                number: route.number, timeline: route.timeline)
        }
        call.isStreamed = isStreamed
        call.plugins = PluginContext(
            plugins: plugins, target: target, session: context.session,
            around: route.placesPlugins ? .init(begin: beginPass, process: endPass) : nil)
        let next = NextMiddleware(middleware: route.middleware) { [self] call throws(MoyaError) in
            try await attempt(call, context, on: route).get()
        }
        do throws(MoyaError) {
            return .success(try await next(call))
        } catch {
            return .failure(error)
        }
    }

    /// Notifies the plugins of the request of a pass, unless the call was stopped; `false` if it has been by then.
    @Sendable private func beginPass(_ notify: () -> Void) -> Bool {
        let isStopped = state.withLock { state in
            if state.stopped == nil { state.passes.running += 1 }
            return state.stopped != nil
        }
        guard !isStopped else { return false }
        notify()
        endNotifying { $0.passes.open += 1 }
        return stopped == nil
    }

    /// The result that the plugins make of the result of a pass; of a stopped call, they are notified once.
    @Sendable private func endPass(_ result: Result<Response, MoyaError>) -> Result<Response, MoyaError> {
        processed(result) { $0.open -= 1 }
    }

    private func processed(
        _ result: Result<Response, MoyaError>, _ change: (inout PluginPasses) -> Void = { _ in }
    ) -> Result<Response, MoyaError> {
        let (stopped, isNotified) = state.withLock { state in
            change(&state.passes)
            let isNotified = state.stopped == nil || state.passes.claimStop()
            if isNotified { state.passes.running += 1 }
            return (state.stopped, isNotified)
        }
        let result = stopped.map { .failure($0) } ?? result
        guard isNotified, let target else { return result }
        received(result)
        let processed = plugins.process(result, target: target)
        endNotifying { if stopped != nil { $0.processedStop = processed } }
        return processed
    }

    /// Records that plugins have been notified, and ends a stopped call that has waited for that.
    private func endNotifying(_ change: (inout State) -> Void) {
        let endsNow = state.withLock { state in
            change(&state)
            state.passes.running -= 1
            return state.passes.awaitsIdleness && state.passes.running == 0
        }
        if endsNow { arrive { $0.endInMiddleware(with: $0.stopped ?? .cancelled) } }
    }

    /// Sends the request of a call that passed the middleware.
    private func attempt(
        _ call: MiddlewareCall, _ context: SendContext, on route: CallRoute
    ) async -> Result<Response, MoyaError> {
        // The file of a refused response may be at the destination of the next one.
        state.withLock { $0.download.take() }?.abandon()
        let attempt = ProviderCall(
            target: target, plugins: route.placesPlugins ? [] : plugins, queue: queue, consumer: .task(nil),
            parent: self, route: route, unsent: call.unsent, credentialFields: call.credentialFields,
            isOffline: call.isOffline, reloads: call.reloads, isStreamed: isStreamed)
        // A call that was stopped without an attempt has ended.
        let stopped = state.withLock { state in
            if state.stopped == nil { state.attempt = attempt }
            return state.stopped
        }
        if let stopped { return .failure(stopped) }
        let result = await attempt.value {
            attempt.start(context) { $1(.success(call.request)) }
            call.onSent?()
        }
        let (download, isFinal) = attempt.state.withLock { ($0.download, $0.isFinal) }
        call.onEnd?(isFinal)
        let (isStopped, last) = state.withLock { state in
            if let download, !result.isSuccessful { state.download = download }
            return (state.stopped != nil, state.attempt.take())
        }
        withExtendedLifetime(last) {}
        // The middleware may ignore its cancellation.
        if isStopped {
            arrive { route.placesPlugins ? $0.endInMiddleware(with: $0.stopped ?? .cancelled) : .final(result) }
        }
        return result
    }
}

extension Result<Response, MoyaError> {
    /// `true` for an accepted response with a status of 2xx, whose file middleware may return after another attempt.
    fileprivate var isSuccessful: Bool {
        if case .success(let response) = self { (200..<300).contains(response.statusCode) } else { false }
    }
}
