/// An exchange that starts later: after a delay, or once a gate has opened.
///
/// If it is cancelled before it starts, it ends with ``TransportFailure/Kind/cancelled`` at once.
public final class DeferredExchange: TransportExchange {
    private struct State {
        /// The sink, until the exchange has started or was cancelled.
        var sink: (any TransportSink)?
        var handle: (any TransportExchange)?
        var isCancelled = false
        /// `true` if the last call was to pause.
        var isPaused = false
        /// `true` from the start until the handle has received every earlier call.
        var isHandingOver = false
        /// The last call that the handle has yet to receive: `true` to pause, `false` to resume.
        var pausesNext: Bool?

        /// Returns the handle to pause or resume; `nil` if the call is recorded instead.
        mutating func receive(pauses: Bool) -> (any TransportExchange)? {
            isPaused = pauses
            if !isHandingOver, let handle { return handle }
            // An exchange that is starting may already wait for its reader.
            pausesNext = pauses || isHandingOver ? pauses : nil
            return nil
        }

        /// Takes the recorded call; if there is none, the handle receives all further ones.
        mutating func takeRecorded() -> Bool? {
            isHandingOver = pausesNext != nil
            return pausesNext.take()
        }
    }

    private let state: Lock<State>

    /// Makes an exchange that has not started.
    public init(delivering sink: any TransportSink) {
        state = Lock(State(sink: sink))
    }

    /// Starts the exchange over a transport, unless it was cancelled or has already started.
    public func start(_ request: HTTPRequest, over transport: any Transport) {
        let sink = state.withLock { state in
            if state.sink != nil { state.isHandingOver = true }
            return state.sink.take()
        }
        guard let sink else { return }
        let handle = transport.start(request, delivering: sink)
        let isCancelled = state.withLock { state in
            state.handle = handle
            return state.isCancelled
        }
        // A call from another thread must not overtake an earlier one.
        while let pauses = state.withLock({ $0.takeRecorded() }) {
            if pauses { handle.pause() } else { handle.resume() }
        }
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
        state.withLock { $0.receive(pauses: true) }?.pause { state.withLock { $0.isPaused } }
    }

    /// Resumes reading.
    public func resume() {
        state.withLock { $0.receive(pauses: false) }?.resume { state.withLock { $0.isPaused } }
    }
}
