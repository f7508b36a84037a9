import MoyaTransport

/// One subscription to a ``CallSource``, from the first demand to the end or the cancellation.
///
/// It delivers events one at a time and in order, on any queue, including concurrent ones, and whatever the subscriber
/// does in response; nothing after the end or after ``cancel()``. Every method may be called from any thread, and from
/// inside the receiver.
package final class CallSubscription<Value: Sendable>: Sendable {
    /// Receives an event; may request more or cancel.
    package typealias Receiver = @Sendable (CallEvent<Value>, CallSubscription) -> Void

    private struct State {
        var events = EventQueue<Value>()
        /// Released at the end: it retains the subscriber, which usually retains the subscription.
        var receiver: Receiver?
        var call: (any Cancellable)?
        /// The stream that waits for demand.
        var waiter: UnsafeContinuation<Bool, Never>?
    }

    private let start: @Sendable (CallSubscription) -> (any Cancellable)?
    private let state: Lock<State>

    init(
        start: @escaping @Sendable (CallSubscription) -> (any Cancellable)?, of existing: (any Cancellable)? = nil,
        receiver: @escaping Receiver
    ) {
        self.start = start
        state = Lock(State(receiver: receiver, call: existing))
    }

    /// Requests a number of further values; the first request makes the call, and `Int.max` is unlimited.
    package func request(_ count: Int) {
        guard count > 0 else { return }
        let (isFirst, waiter) = state.withLock { ($0.events.request(count), $0.waiter.take()) }
        waiter?.resume(returning: true)
        if isFirst { makeCall() } else { deliver() }
    }

    /// Waits until the subscriber accepts another value; `false` if it has cancelled, or the task was cancelled.
    package func demand() async -> Bool {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let isWanted = state.withLock { state -> Bool? in
                    if state.events.isCancelled || _Concurrency.Task.isCancelled { return false }
                    if state.events.hasDemand { return true }
                    state.waiter = continuation
                    return nil
                }
                if let isWanted { continuation.resume(returning: isWanted) }
            }
        } onCancel: {
            state.withLock { $0.waiter.take() }?.resume(returning: false)
        }
    }

    /// Cancels the subscription and, unless it has ended, the call.
    package func cancel() {
        // Released outside the lock, because a `deinit` of the subscriber or of a value may call back.
        let (receiver, values, call, waiter) = state.withLock { state in
            (state.receiver.take(), state.events.cancel(), state.call.take(), state.waiter.take())
        }
        waiter?.resume(returning: false)
        call?.cancel()
        withExtendedLifetime((receiver, values)) {}
    }

    private func makeCall() {
        // Without the provider no event follows, so nothing is retained for it.
        guard let call = start(self) else { return cancel() }
        let isCancelled = state.withLock { state in
            if state.events.awaitsEnd { state.call = call }
            return state.events.isCancelled
        }
        if isCancelled { call.cancel() }
    }

    // MARK: Events of the call

    /// Receives a value.
    package func receive(_ value: Value) {
        var replaced: Value?
        deliver { replaced = $0.events.append(value) }
        withExtendedLifetime(replaced) {}
    }

    /// Receives the end, with an optional last value.
    package func finish(with result: Result<Value?, MoyaError>) {
        var call: (any Cancellable)?
        var replaced: Value?
        deliver { state in
            switch result {
            case .success(let value):
                if let value { replaced = state.events.append(value) }
                state.events.finish(nil)
            case .failure(let error): state.events.finish(error)
            }
            // The call has ended: cancelling it now would report a false cancellation to its caller.
            call = state.call.take()
        }
        withExtendedLifetime((call, replaced)) {}
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
        let (next, overtaken) = state.withLock { state -> ((CallEvent<Value>, Receiver)?, [Value]) in
            guard let event = state.events.next(), let receiver = state.receiver else { return (nil, []) }
            if case .value = event {} else { state.receiver = nil }
            return ((event, receiver), state.events.takeOvertaken())
        }
        withExtendedLifetime(overtaken) {}
        return next
    }
}
