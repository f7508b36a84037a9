import Synchronization

/// One subscription to a ``CallSource``, from the first demand to the end or the cancellation.
///
/// It tells the subscriber one event at a time and in order, whatever queue, concurrent ones too, the call uses and
/// whatever the subscriber does in return; nothing after the end or after ``cancel()``. Every method may be called from
/// any thread, and from inside the receiver.
package final class CallSubscription<Value: Sendable>: Sendable {
    /// Takes an event, and may ask for more or cancel.
    package typealias Receiver = @Sendable (CallEvent<Value>, CallSubscription) -> Void

    private struct State {
        var events = EventQueue<Value>()
        /// Let go at the end: it holds the subscriber, which most often holds the subscription.
        var receiver: Receiver?
        var call: (any Cancellable)?
    }

    private let start: @Sendable (CallSubscription) -> (any Cancellable)?
    private let state: Mutex<State>

    init(start: @escaping @Sendable (CallSubscription) -> (any Cancellable)?, receiver: @escaping Receiver) {
        self.start = start
        state = Mutex(State(receiver: receiver))
    }

    /// Asks for so many more values, the first of which makes the call; `Int.max` is for all there will be.
    package func request(_ count: Int) {
        guard count > 0 else { return }
        let isFirst = state.withLock { $0.events.request(count) }
        if isFirst { makeCall() } else { deliver() }
    }

    /// Ends the subscription and, unless it is over, the call.
    package func cancel() {
        // What is let go is let go outside the lock, for the subscriber's `deinit` may lead back here.
        let (receiver, call) = state.withLock { state in
            state.events.cancel()
            return (state.receiver.take(), state.call.take())
        }
        call?.cancel()
        withExtendedLifetime(receiver) {}
    }

    private func makeCall() {
        // With the provider gone there is never a word, so that nothing is kept for it.
        guard let call = start(self) else { return cancel() }
        let isCancelled = state.withLock { state in
            if state.events.awaitsEnd { state.call = call }
            return state.events.isCancelled
        }
        if isCancelled { call.cancel() }
    }

    // MARK: What the call tells

    /// Takes a value.
    func receive(_ value: Value) { deliver { $0.events.append(value) } }

    /// Takes the end, with a last value if there is one.
    func finish(with result: Result<Value?, MoyaError>) {
        var call: (any Cancellable)?
        deliver { state in
            switch result {
            case .success(let value):
                if let value { state.events.append(value) }
                state.events.finish(nil)
            case .failure(let error): state.events.finish(error)
            }
            // The call is over: to cancel it would tell whoever made it of a cancellation that was none.
            call = state.call.take()
        }
        withExtendedLifetime(call) {}
    }

    private func deliver(after change: (inout State) -> Void = { _ in }) {
        let mayDeliver = state.withLock { state in
            change(&state)
            return state.events.beginDelivery()
        }
        guard mayDeliver else { return }
        while let (event, receiver) = next() {
            receiver(event, self)
        }
    }

    private func next() -> (CallEvent<Value>, Receiver)? {
        state.withLock { state in
            guard let event = state.events.next(), let receiver = state.receiver else { return nil }
            if case .value = event {} else { state.receiver = nil }
            return (event, receiver)
        }
    }
}
