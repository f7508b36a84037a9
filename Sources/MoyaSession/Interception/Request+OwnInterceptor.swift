extension Request {
    /// Adds an adapter to this request, after its existing ones; has no effect after the request was started.
    @discardableResult
    public func adapt(using adapter: any RequestAdapter) -> Self { interceptor(Interceptor(adapters: [adapter])) }

    /// Adds a retrier to this request, after its existing ones; has no effect after the request was started.
    @discardableResult
    public func retry(using retrier: any RequestRetrier) -> Self { interceptor(Interceptor(retriers: [retrier])) }

    /// Adds an interceptor to this request, after its existing ones; has no effect after the request was started.
    @discardableResult
    public func interceptor(_ interceptor: any RequestInterceptor) -> Self {
        beforeStart { $0.interceptors.append(interceptor) }
    }

    /// Adds a monitor to this request, after its existing ones; has no effect after the request was started.
    @discardableResult
    public func eventMonitor(_ monitor: any EventMonitor) -> Self {
        beforeStart { request in
            let known = request.ownMonitor ?? request.core.composite
            request.ownMonitor = CompositeEventMonitor(monitors: known.monitors + [monitor])
        }
    }

    /// The subscribers of events; `nil`, and so free, without any.
    var monitor: CompositeEventMonitor? { ownMonitor ?? core.monitor }

    /// Changes state that is constant after the start, which takes the lock later.
    private func beforeStart(_ change: (Request) -> Void) -> Self {
        mutableState.withLock { state in
            if state.machine.stage == .idle { change(self) }
        }
        return self
    }
}
