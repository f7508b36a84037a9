extension Request {
    /// Adapts this request, after the adapters that it has; to be called before it is started, and else without effect.
    @discardableResult
    public func adapt(using adapter: any RequestAdapter) -> Self { interceptor(Interceptor(adapters: [adapter])) }

    /// Retries this request, after the retriers that it has; to be called before it is started, and else without effect.
    @discardableResult
    public func retry(using retrier: any RequestRetrier) -> Self { interceptor(Interceptor(retriers: [retrier])) }

    /// Adapts and retries this request, after the interceptors that it has; to be called before it is started, and else
    /// without effect.
    @discardableResult
    public func interceptor(_ interceptor: any RequestInterceptor) -> Self {
        beforeStart { $0.interceptors.append(interceptor) }
    }

    /// Notifies a monitor of this request, after those that it has; to be called before it is started, and else without
    /// effect.
    @discardableResult
    public func eventMonitor(_ monitor: any EventMonitor) -> Self {
        beforeStart { request in
            let known = request.ownMonitor ?? request.core.composite
            request.ownMonitor = CompositeEventMonitor(monitors: known.monitors + [monitor])
        }
    }

    /// The subscribers of events; `nil`, and so free, when there are none.
    var monitor: CompositeEventMonitor? { ownMonitor ?? core.monitor }

    /// Changes what is constant from the start on: whatever starts the request takes the lock after this.
    private func beforeStart(_ change: (Request) -> Void) -> Self {
        mutableState.withLock { state in
            if state.machine.stage == .idle { change(self) }
        }
        return self
    }
}
