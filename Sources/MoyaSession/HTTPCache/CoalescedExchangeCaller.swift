import Foundation
import MoyaTransport

/// One caller of a shared exchange, with its own pace, time limit and cancellation.
final class CoalescedExchangeCaller: RelayedExchange {
    fileprivate struct State {
        /// The relay to a separate exchange, once the caller has gone alone.
        var relay = ExchangeRelay()
        /// Events that arrived while the caller waited: no more than those that another caller keeps in memory.
        var held = HeldEvents()
        /// `true` while a thread is delivering.
        var isDelivering = false
        /// The number of resumptions before the last delivery.
        var resumptions = 0
        /// The caller's own end: it cancelled, or its time is over.
        var early: TransportEnd?
        var isOver = false
        var hasHead = false
        /// Released at the end, although the handle may be retained.
        var sink: (any TransportSink)?
        /// `true` once the caller has a separate exchange.
        var isAlone = false
        var timer: DeadlineTimer.Entry?
    }

    /// Starts an exchange for one caller.
    typealias Start = @Sendable (any TransportSink) -> any TransportExchange

    private let state: Lock<State>
    private let alone: Start
    private let overdue: Start
    /// The shared exchange.
    let exchange = Lock<CoalescedExchange?>(nil)
    /// The index among its callers; `nonisolated(unsafe)`: protected by the lock of the shared exchange.
    nonisolated(unsafe) var index: Int?

    /// - Parameters:
    ///   - alone: Sends the request for this caller only, if the shared response is not for it.
    ///   - overdue: Answers if the time is over before a head arrived.
    init(sink: any TransportSink, alone: @escaping Start, overdue: @escaping Start) {
        state = Lock(State(sink: sink))
        self.alone = alone
        self.overdue = overdue
    }

    /// Starts the total time limit; `nil` for none.
    func limit(to seconds: Double?) {
        guard let seconds else { return }
        let timer = DeadlineTimer.shared.add(in: seconds) { [weak self] in self?.expire(after: seconds) }
        let isUsed = state.withLock { state in
            guard !state.isOver, !state.isAlone else { return false }
            state.timer = timer
            return true
        }
        if let timer, !isUsed { DeadlineTimer.shared.remove(timer) }
    }

    /// Sets what the caller has missed; before its first event.
    func catchUp(_ head: TransportResponseHead, _ body: Data) {
        state.withLock { $0.held = HeldEvents([.head(head)] + (body.isEmpty ? [] : [.chunk(body)])) }
    }

    /// Delivers what the caller has missed, and continues an exchange that waited for it.
    func drain() {
        let drains = state.withLock { $0.beginDraining() }
        if drains { settle(.more) }
        if !isWaiting { exchange.withLock { $0 }?.resume(self) }
    }

    /// `true` if the caller accepts no events now.
    var isWaiting: Bool { withRelay { $0.isPaused } }

    // MARK: Events

    /// Delivers an event, or holds it until the caller has caught up.
    ///
    /// - Returns: `false` if the caller has to wait.
    func deliver(_ event: TransportEvent) -> Bool {
        let sink = state.withLock { state -> (any TransportSink)? in
            guard !state.isOver, !state.isAlone else { return nil }
            // A failure is delivered at once: a time limit runs while its caller waits.
            if event.isFailure, !state.isDelivering { state.held = HeldEvents() }
            guard !state.isDelivering, !state.relay.isPaused || event.isFailure, state.held.isEmpty else {
                state.hold(event)
                return nil
            }
            return state.startDelivery(event)
        }
        if let sink { settle(sink.receive(event)) }
        return !isWaiting
    }

    /// Continues after a delivery: with a cancellation, or with events that arrived meanwhile.
    private func settle(_ demand: TransportDemand) {
        var demand = demand
        while let (event, sink) = next(after: demand) { demand = event.use { sink.receive($0) } }
    }

    private func next(after demand: TransportDemand) -> (HeldEvent, any TransportSink)? {
        state.withLock { state -> (HeldEvent, any TransportSink)? in
            if demand == .wait, state.relay.resumptions == state.resumptions { state.relay.isPaused = true }
            state.isDelivering = false
            if let early = state.early, !state.isOver {
                state.held = HeldEvents([.end(early)])
            } else if let end = state.held.end, end.failure != nil {
                state.held = HeldEvents([.end(end)])
            } else if state.relay.isPaused || state.held.isEmpty {
                return nil
            }
            guard !state.isOver, let event = state.held.popFirst() else { return nil }
            return event.use { state.startDelivery($0) }.map { (event, $0) }
        }
    }

    /// Sends the request for this caller only.
    func goAlone() {
        guard let sink = state.withLock({ $0.early == nil ? $0.separate() : nil }) else { return }
        exchange.set(nil)
        relay { alone(sink) }
    }

    /// Ends the caller whose time is over, or answers it from the store.
    private func expire(after seconds: Double) {
        let sink = state.withLock { state in
            state.hasHead || state.isDelivering || state.early != nil ? nil : state.separate()
        }
        guard let sink else { return end(.overdue(after: seconds)) }
        releaseShared()
        relay { overdue(sink) }
    }

    // MARK: The handle

    func cancel() {
        let own = withRelay { relay in
            // A caller that is about to go alone has no other end.
            relay.isCancelled = true
            return relay.handle
        }
        if let own { own.cancel() } else { end(.cancelled) }
    }

    /// Ends the caller's part in the shared exchange.
    private func end(_ end: TransportEnd) {
        let (isLeaving, sink) = state.withLock { state -> (Bool, (any TransportSink)?) in
            guard !state.isOver, !state.isAlone, state.early == nil else { return (false, nil) }
            state.early = end
            guard !state.isDelivering else { return (true, nil) }
            state.held = HeldEvents()
            return (true, state.startDelivery(.end(end)))
        }
        if isLeaving { releaseShared() }
        _ = sink?.receive(.end(end))
    }

    private func releaseShared() { exchange.exchange(nil)?.release(self) }

    func pause() {
        if !passOn(pauses: true) { exchange.withLock { $0 }?.pauseIfAllWait() }
    }

    func resume() {
        if passOn(pauses: false) { return }
        if state.withLock({ $0.beginDraining() }) { settle(.more) }
        exchange.withLock { $0 }?.resume(self)
    }

    func withRelay<Result: Sendable>(_ body: (inout ExchangeRelay) -> Result) -> Result {
        state.withLock { body(&$0.relay) }
    }
}

extension CoalescedExchangeCaller.State {
    /// Starts a delivery to the sink, which is released with the last one.
    fileprivate mutating func startDelivery(_ event: TransportEvent) -> (any TransportSink)? {
        isDelivering = true
        resumptions = relay.resumptions
        hasHead = hasHead || event.isHead
        guard event.isEnd else { return sink }
        isOver = true
        stopTimer()
        return sink.take()
    }

    /// Starts to deliver held events; `false` if there are none to deliver now.
    fileprivate mutating func beginDraining() -> Bool {
        guard !isDelivering, !held.isEmpty, !isOver else { return false }
        isDelivering = true
        return true
    }

    /// Takes the sink out of the shared exchange; `nil` after the end.
    fileprivate mutating func separate() -> (any TransportSink)? {
        guard !isOver, !isAlone else { return nil }
        isAlone = true
        stopTimer()
        return sink.take()
    }

    private mutating func stopTimer() {
        if let timer = timer.take() { DeadlineTimer.shared.remove(timer) }
    }

    fileprivate mutating func hold(_ event: TransportEvent) {
        if case .sent = event { return }
        held.append(event)
    }
}

extension TransportEvent {
    fileprivate var isHead: Bool { if case .head = self { true } else { false } }
}

extension TransportEnd {
    /// The end for a caller whose total time limit has passed.
    static func overdue(after seconds: Double) -> TransportEnd {
        TransportEnd(
            failure: .timeout(.total, seconds: seconds, code: 0), metrics: TransportMetrics(total: seconds))
    }
}
