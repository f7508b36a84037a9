/// An exchange that starts later: after a delay, or once a gate has opened.
///
/// If it is cancelled before it starts, it ends with ``TransportFailure/Kind/cancelled`` at once.
public final class DeferredExchange: TransportExchange {
    private struct State {
        /// The sink, until the exchange has started or was cancelled.
        var sink: (any TransportSink)?
        var handle: (any TransportExchange)?
        var isCancelled = false
        /// `true` to pause, `false` to resume; `nil` if neither was asked for.
        var isPaused: Bool?
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
        let (isCancelled, isPaused) = state.withLock { state in
            state.handle = handle
            return (state.isCancelled, state.isPaused)
        }
        if isPaused != nil { setPaused(of: handle) }
        if isCancelled { handle.cancel() }
    }

    /// Ends the exchange.
    public func cancel() {
        let (sink, handle) = state.withLock { state in
            state.isCancelled = true
            return (state.sink.take(), state.handle)
        }
        handle?.cancel()
        _ = sink?.receive(.end(.cancelled))
    }

    /// Stops reading, from the start if it has not started.
    public func pause() { receive(pauses: true) }

    /// Resumes reading.
    public func resume() { receive(pauses: false) }

    private func receive(pauses: Bool) {
        let handle = state.withLock { state in
            // A resumption before the start only takes back a pause; a starting exchange may already wait for its reader.
            state.isPaused = pauses || state.sink == nil ? pauses : nil
            return state.handle
        }
        if let handle { setPaused(of: handle) }
    }

    private func setPaused(of handle: any TransportExchange) {
        handle.setPaused { state.withLock { $0.isPaused == true } }
    }
}

extension DeferredExchange: OpaqueReflection {}
