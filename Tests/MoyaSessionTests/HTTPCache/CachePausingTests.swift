import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Callers that resume an exchange before the wait that they requested has taken effect.
@Suite struct CachePausingTests {
    private let fresh = [("Cache-Control", "max-age=60"), ("ETag", "\"1\"")]
    private let request = HTTPRequest(method: "GET", url: "https://example.com/a")

    private func transport(over inner: any Transport, validating: Bool = false) -> CacheTransport {
        CacheTransport(
            inner: inner, cache: .memory(),
            policy: validating ? .reloadRevalidatingCacheData : .useProtocolCachePolicy,
            queue: DispatchQueue(label: "test"))
    }

    private func exchange(over inner: any Transport, to sink: any TransportSink) -> CacheExchange {
        let cache = HTTPCache.memory()
        return CacheExchange(
            CacheRequest(request, fingerprint: cache.fingerprint), CacheForward(reason: .uriMiss), cache: cache,
            inner: inner, queue: DispatchQueue(label: "test"), sink: sink)
    }

    @Test func aConfirmedResponseIsDeliveredAfterAnEarlyResumption() {
        let wire = SteppedTransport()
        let transport = transport(over: wire, validating: true)
        _ = transport.start(request, delivering: RecordingSink())
        wire.exchanges[0].respond(200, fresh, "one")
        let sink = HeadSink { $0.resume() }
        sink.handle.set(transport.start(request, delivering: sink))
        wire.exchanges[1].respond(304, fresh)
        #expect(sink.recording.text == "one")
        #expect(sink.recording.ends == 1)
    }

    @Test func aResponseIsDeliveredAfterAResumptionDuringItsStart() {
        let sink = HeadSink { $0.resume() }
        let inner = ImmediateTransport()
        let exchange = exchange(over: inner, to: sink)
        sink.handle.set(exchange)
        exchange.start()
        inner.proceed()
        #expect(sink.recording.text == "one")
        #expect(sink.recording.ends == 1)
    }

    @Test func aCallerThatIsSentAloneIsResumedDuringItsStart() {
        let wire = SteppedTransport()
        let inner = ImmediateTransport(first: wire)
        let transport = transport(over: inner)
        _ = transport.start(request, delivering: RecordingSink())
        let sink = HeadSink { $0.resume() }
        sink.handle.set(transport.start(request, delivering: sink))
        wire.exchanges[0].respond(200, [("Cache-Control", "no-store")])
        inner.proceed()
        #expect(sink.recording.text == "one")
        #expect(sink.recording.ends == 1)
    }

    @Test func aPauseDoesNotOutliveAResumptionAtTheSameTime() {
        let sink = HeadSink(demand: .more) { $0.pause() }
        let inner = ImmediateTransport { sink.handle.withLock { $0 }?.resume() }
        let exchange = exchange(over: inner, to: sink)
        sink.handle.set(exchange)
        exchange.start()
        inner.proceed()
        #expect(sink.recording.ends == 1)
    }

    @Test func aPauseThatIsForwardedDoesNotOutliveAResumptionAtTheSameTime() {
        let wire = SteppedTransport()
        let exchange = exchange(over: wire, to: RecordingSink())
        exchange.start()
        wire.exchanges[0].onPause.set { exchange.resume() }
        exchange.pause()
        #expect(!wire.exchanges[0].isPaused)
    }

    @Test func aResumptionThatIsForwardedDoesNotOutliveAPauseAtTheSameTime() {
        let wire = SteppedTransport()
        let exchange = exchange(over: wire, to: RecordingSink())
        exchange.start()
        wire.exchanges[0].onResume.set { exchange.pause() }
        exchange.resume()
        #expect(wire.exchanges[0].isPaused)
    }

    @Test func aResumptionOfACallerDoesNotOutliveAPauseOfTheLast() {
        let wire = SteppedTransport()
        let caller = transport(over: wire).start(request, delivering: RecordingSink())
        wire.exchanges[0].onResume.set { caller.pause() }
        caller.resume()
        #expect(wire.exchanges[0].isPaused)
    }

    @Test func aPauseOfTheLastCallerDoesNotOutliveAResumptionOfAnother() {
        let wire = SteppedTransport()
        let transport = transport(over: wire)
        let callers = (0..<2).map { _ in transport.start(request, delivering: RecordingSink()) }
        callers[0].pause()
        wire.exchanges[0].onPause.set { callers[0].resume() }
        callers[1].pause()
        #expect(!wire.exchanges[0].isPaused)
    }

    @Test func aCallerThatJoinsAPausedExchangeResumesIt() {
        let wire = SteppedTransport()
        let transport = transport(over: wire)
        transport.start(request, delivering: RecordingSink()).pause()
        _ = transport.start(request, delivering: RecordingSink())
        #expect(wire.exchanges.count == 1 && !wire.exchanges[0].isPaused)
    }

    @Test func aPauseOfTheOnlyCallerDoesNotHoldOneThatJoinsAtTheSameTime() {
        let wire = SteppedTransport()
        let transport = transport(over: wire)
        let first = transport.start(request, delivering: RecordingSink())
        wire.exchanges[0].onPause.set { [request] in _ = transport.start(request, delivering: RecordingSink()) }
        first.pause()
        #expect(wire.exchanges.count == 1 && !wire.exchanges[0].isPaused)
    }
}

/// Records events, and calls a closure with its handle while it receives the head.
private final class HeadSink: TransportSink {
    let recording = RecordingSink()
    let handle = Lock<(any TransportExchange)?>(nil)
    private let demand: TransportDemand
    private let onHead: @Sendable (any TransportExchange) -> Void

    init(demand: TransportDemand = .wait, onHead: @escaping @Sendable (any TransportExchange) -> Void) {
        self.demand = demand
        self.onHead = onHead
    }

    func receive(_ event: TransportEvent) -> TransportDemand {
        let recorded = recording.receive(event)
        guard case .head = event else { return recorded }
        if let handle = handle.withLock({ $0 }) { onHead(handle) }
        return demand
    }
}

/// Delivers the head of a response before it returns the handle, and the rest once the test proceeds.
private final class ImmediateTransport: Transport {
    /// Carries the first exchange instead.
    private let first: SteppedTransport?
    /// Called at the start of a pause, before that takes effect.
    private let onPause: @Sendable () -> Void
    private let exchange = Lock<Exchange?>(nil)

    init(first: SteppedTransport? = nil, onPause: @escaping @Sendable () -> Void = {}) {
        self.first = first
        self.onPause = onPause
    }

    func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
        if let first, first.exchanges.isEmpty { return first.start(request, delivering: sink) }
        let head = TransportResponseHead(status: 200, fields: [HTTPField(name: "Cache-Control", value: "no-store")])
        let exchange = Exchange(sink: sink, isPaused: sink.receive(.head(head)) == .wait, onPause: onPause)
        self.exchange.set(exchange)
        return exchange
    }

    /// Delivers the rest of the response, unless it is paused.
    func proceed() { exchange.withLock { $0 }?.proceed() }

    private final class Exchange: TransportExchange {
        private let sink: any TransportSink
        private let isPaused: Lock<Bool>
        private let onPause: @Sendable () -> Void

        init(sink: any TransportSink, isPaused: Bool, onPause: @escaping @Sendable () -> Void) {
            self.sink = sink
            self.isPaused = Lock(isPaused)
            self.onPause = onPause
        }

        func proceed() {
            guard !isPaused.value else { return }
            Array("one".utf8).withUnsafeBytes { _ = sink.receive(.chunk($0)) }
            _ = sink.receive(.end(TransportEnd()))
        }

        func cancel() {}

        func pause() {
            onPause()
            isPaused.set(true)
        }

        func resume() { isPaused.set(false) }
    }
}
