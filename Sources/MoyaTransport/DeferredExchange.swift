/// An exchange that starts later: after a delay, or once a gate has opened.
///
/// If it is cancelled before it starts, it ends with ``TransportFailure/Kind/cancelled`` at once.
public final class DeferredExchange: TransportExchange {
    private struct State {
        /// The sink, until the exchange has started or was cancelled.
        var sink: (any TransportSink)?
        var handle: (any TransportExchange)?
        var isCancelled = false
        var isPaused = false
    }

    private let state: Lock<State>

    /// Makes an exchange that has not started.
    public init(delivering sink: any TransportSink) {
        state = Lock(State(sink: sink))
    }

    /// Starts the exchange over a transport, unless it was cancelled or has already started.
    public func start(_ request: HTTPRequest, over transport: any Transport) {
        guard let sink = state.withLock({ $0.sink.take() }) else { return }
        let handle = transport.start(request, delivering: sink)
        let (isPaused, isCancelled) = state.withLock { state in
            state.handle = handle
            return (state.isPaused, state.isCancelled)
        }
        if isPaused { handle.pause() }
        if isCancelled { handle.cancel() }
    }

    /// Ends the exchange.
    public func cancel() {
        let (sink, handle) = state.withLock { state in
            state.isCancelled = true
            return (state.sink.take(), state.handle)
        }
        handle?.cancel()
        let failure = TransportFailure(.cancelled, message: "the exchange was cancelled before it began")
        _ = sink?.receive(.end(TransportEnd(failure: failure)))
    }

    /// Stops reading, from the start if it has not started.
    public func pause() {
        let handle = state.withLock { state in
            state.isPaused = true
            return state.handle
        }
        handle?.pause()
    }

    /// Resumes reading.
    public func resume() {
        let handle = state.withLock { state in
            state.isPaused = false
            return state.handle
        }
        handle?.resume()
    }
}
