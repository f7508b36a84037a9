import Foundation
import MoyaTransport

/// One caller of a shared exchange, with its own pace and cancellation.
final class CoalescedCaller: TransportExchange {
    fileprivate enum Held {
        case informational(TransportResponseHead)
        case head(TransportResponseHead)
        case chunk(Data)
        case end(TransportEnd)
    }

    fileprivate struct State {
        /// Events that arrived while the caller waited, in order.
        var held: [Held] = []
        var heldBytes = 0
        /// `true` while a thread is delivering.
        var isDelivering = false
        var isWaiting = false
        /// `true` if ``resume()`` was called since the last delivery began.
        var wasResumed = false
        var isCancelled = false
        var isOver = false
        /// Released at the end, although the handle may be retained.
        var sink: (any TransportSink)?
        /// `true` once the caller has a separate exchange.
        var isAlone = false
        var own: (any TransportExchange)?
    }

    private let state: Lock<State>
    private let alone: @Sendable (any TransportSink) -> any TransportExchange
    /// The shared exchange.
    let exchange = Lock<CoalescedExchange?>(nil)

    /// The number of bytes held for a caller at which all others have to wait for it.
    private static let mostHeldBytes = 16 * 1024 * 1024

    init(
        sink: any TransportSink, alone: @escaping @Sendable (any TransportSink) -> any TransportExchange
    ) {
        state = Lock(State(sink: sink))
        self.alone = alone
    }

    /// `true` if the caller accepts no events now.
    var isWaiting: Bool { state.withLock { $0.isWaiting } }

    /// `true` if so many bytes are held for the caller that the others have to wait.
    var isOverfull: Bool { state.withLock { $0.heldBytes > Self.mostHeldBytes } }

    // MARK: Events

    /// Delivers an event, or holds it until the caller has caught up.
    ///
    /// - Returns: `false` if the caller has to wait.
    func deliver(_ event: TransportEvent) -> Bool {
        let sink = state.withLock { state -> (any TransportSink)? in
            guard !state.isOver, !state.isAlone else { return nil }
            // A failure is delivered at once: a time limit runs while its caller waits.
            if event.isFailure, !state.isDelivering { state.held = [] }
            guard !state.isDelivering, !state.isWaiting || event.isFailure, state.held.isEmpty else {
                state.hold(event)
                return nil
            }
            return state.begin(isEnd: event.isEnd)
        }
        if let sink { settle(sink.receive(event)) }
        return !isWaiting
    }

    /// Continues after a delivery: with a cancellation, or with events that arrived meanwhile.
    private func settle(_ demand: TransportDemand) {
        var demand = demand
        while let (event, sink) = next(after: demand) { demand = event.deliver(to: sink) }
    }

    private func next(after demand: TransportDemand) -> (Held, any TransportSink)? {
        state.withLock { state -> (Held, any TransportSink)? in
            if demand == .wait, !state.wasResumed { state.isWaiting = true }
            state.isDelivering = false
            if state.isCancelled, !state.isOver {
                state.held = [.end(.cancelledShare)]
            } else if let failure = state.held.last, failure.isFailure {
                state.held = [failure]
            } else if state.isWaiting || state.held.isEmpty {
                return nil
            }
            guard !state.isOver, !state.held.isEmpty else { return nil }
            let event = state.held.removeFirst()
            if case .chunk(let data) = event { state.heldBytes -= data.count }
            return state.begin(isEnd: event.isEnd).map { (event, $0) }
        }
    }

    /// Starts a separate exchange for this caller.
    func goAlone() {
        let sink = state.withLock { state -> (any TransportSink)? in
            guard !state.isOver, !state.isCancelled else { return nil }
            state.isAlone = true
            return state.sink.take()
        }
        guard let sink else { return }
        exchange.set(nil)
        let own = alone(sink)
        let (isCancelled, isWaiting) = state.withLock { state in
            state.own = own
            return (state.isCancelled, state.isWaiting)
        }
        if isWaiting { own.pause() }
        if isCancelled { own.cancel() }
    }

    // MARK: The handle

    func cancel() {
        enum Way { case nothing, own(any TransportExchange), shared((any TransportSink)?) }
        let way = state.withLock { state -> Way in
            guard !state.isOver, !state.isCancelled else { return .nothing }
            state.isCancelled = true
            if state.isAlone { return state.own.map(Way.own) ?? .nothing }
            guard !state.isDelivering else { return .shared(nil) }
            state.held = []
            return .shared(state.begin(isEnd: true))
        }
        switch way {
        case .nothing: break
        case .own(let own): own.cancel()
        case .shared(let sink):
            exchange.withLock { $0 }?.leave(self)
            _ = sink?.receive(.end(.cancelledShare))
        }
    }

    func pause() {
        let own = state.withLock { state in
            state.isWaiting = true
            return state.own
        }
        if let own { return own.pause() }
        exchange.withLock { $0 }?.pauseIfAllWait()
    }

    func resume() {
        let (own, drains) = state.withLock { state in
            state.isWaiting = false
            state.wasResumed = true
            let drains = !state.isDelivering && !state.held.isEmpty && !state.isOver
            if drains { state.isDelivering = true }
            return (state.own, drains)
        }
        if let own { return own.resume() }
        if drains { settle(.more) }
        exchange.withLock { $0 }?.resume()
    }
}

extension CoalescedCaller.State {
    /// Starts a delivery to the sink, which is released with the last one.
    fileprivate mutating func begin(isEnd: Bool) -> (any TransportSink)? {
        isDelivering = true
        wasResumed = false
        guard isEnd else { return sink }
        isOver = true
        return sink.take()
    }

    fileprivate mutating func hold(_ event: TransportEvent) {
        switch event {
        case .informational(let head): held.append(.informational(head))
        case .head(let head): held.append(.head(head))
        case .chunk(let bytes):
            held.append(.chunk(Data(bytes)))
            heldBytes += bytes.count
        case .end(let end): held.append(.end(end))
        case .sent: break
        }
    }
}

extension CoalescedCaller.Held {
    fileprivate var isEnd: Bool { if case .end = self { true } else { false } }
    fileprivate var isFailure: Bool { if case .end(let end) = self { end.failure != nil } else { false } }

    fileprivate func deliver(to sink: any TransportSink) -> TransportDemand {
        switch self {
        case .informational(let head): sink.receive(.informational(head))
        case .head(let head): sink.receive(.head(head))
        case .chunk(let data): data.withUnsafeBytes { sink.receive(.chunk($0)) }
        case .end(let end): sink.receive(.end(end))
        }
    }
}

extension TransportEvent {
    fileprivate var isEnd: Bool { if case .end = self { true } else { false } }
    fileprivate var isFailure: Bool { if case .end(let end) = self { end.failure != nil } else { false } }
}

extension TransportEnd {
    /// The end for a caller that leaves a shared exchange.
    fileprivate static var cancelledShare: TransportEnd {
        TransportEnd(failure: TransportFailure(.cancelled, message: "the exchange was cancelled"))
    }
}
