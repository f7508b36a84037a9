import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An exchange whose cookies are stored before its head is delivered.
///
/// If storing takes long and the transport's thread must not be blocked, the exchange waits for the engine's queue.
final class CookieExchange: TransportSink, RelayedExchange {
    private struct State {
        var relay = ExchangeRelay()
        /// The events that arrived while the head is held.
        var held = HeldEvents()
        /// `true` while the queue delivers the head and the held events.
        var isDelivering = false
        /// `nil` after the end.
        var sink: (any TransportSink)?

        /// The sink, which is released at the end.
        mutating func sink(for event: TransportEvent) -> (any TransportSink)? {
            guard event.isEnd else { return sink }
            relay.end()
            return sink.take()
        }
    }

    private let url: String
    private let mainDocumentURL: URL?
    private let inner: any Transport
    private let engine: CookieEngine
    private let state: Lock<State>

    init(_ request: HTTPRequest, over inner: any Transport, _ engine: CookieEngine, to sink: any TransportSink) {
        url = request.url
        mainDocumentURL = request.urlRequest?.mainDocumentURL
        self.inner = inner
        self.engine = engine
        state = Lock(State(sink: sink))
    }

    func start(_ request: HTTPRequest) { relay { inner.start(request, delivering: self) } }

    // MARK: Events

    func receive(_ event: TransportEvent) -> TransportDemand {
        guard let sink = sink(for: event) else { return .wait }
        if case .head(let head) = event, head.value(for: "set-cookie") != nil, let url = URL(string: url) {
            guard let queue = engine.queue, !inner.deliversWhereCodeMayBlock else {
                store(head, from: url)
                return sink.receive(event)
            }
            withRelay { $0.isHolding = true }
            queue.async {
                self.store(head, from: url) { self.withRelay { $0.isHolding } }
                self.deliver(head)
            }
            return .wait
        }
        return sink.receive(event)
    }

    /// The sink for an event; `nil` for one that is kept, since it arrives while the head is held.
    ///
    /// A failure ends the exchange at once, without the head.
    private func sink(for event: TransportEvent) -> (any TransportSink)? {
        state.withLock { state in
            if event.isFailure, !state.isDelivering { state.relay.isHolding = false }
            guard state.relay.isHolding else { return state.sink(for: event) }
            state.held.append(event)
            return nil
        }
    }

    private func store(_ head: TransportResponseHead, from url: URL, while isWanted: () -> Bool = { true }) {
        engine.store(
            setCookieFields: head.values(for: "set-cookie"), from: url, mainDocumentURL: mainDocumentURL,
            while: isWanted)
    }

    /// Delivers the held head and the events since then, and makes the exchange go on.
    private func deliver(_ head: TransportResponseHead) {
        let isWanted = state.withLock { state in
            state.isDelivering = state.relay.isHolding
            return state.isDelivering
        }
        guard isWanted else { return }
        var event = HeldEvent.head(head)
        while true {
            let resumptions = withRelay { $0.resumptions }
            let demand = event.use(pass)
            let next = state.withLock { state -> HeldEvent? in
                // The caller may have caught up meanwhile, on another thread.
                if demand == .wait, state.relay.resumptions == resumptions { state.relay.isPaused = true }
                if let next = state.held.popFirst() { return next }
                state.isDelivering = false
                state.relay.endHolding()
                return nil
            }
            guard let next else { return readOn() }
            event = next
        }
    }

    private func pass(_ event: TransportEvent) -> TransportDemand {
        state.withLock { $0.sink(for: event) }?.receive(event) ?? .wait
    }

    // MARK: The handle

    func cancel() {
        let (handle, endsNow) = state.withLock { state in
            state.relay.isCancelled = true
            guard state.relay.isHolding, !state.isDelivering, state.held.end != nil else {
                return (state.relay.handle, false)
            }
            // The inner exchange is over.
            state.relay.isHolding = false
            return (nil, true)
        }
        handle?.cancel()
        if endsNow { _ = pass(.end(.cancelled)) }
    }

    func withRelay<Result: Sendable>(_ body: (inout ExchangeRelay) -> Result) -> Result {
        state.withLock { body(&$0.relay) }
    }
}
