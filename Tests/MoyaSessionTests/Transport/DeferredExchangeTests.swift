import MoyaTransport
import Testing

@testable import MoyaSession

@Suite struct DeferredExchangeTests {
    private let wire = SteppedTransport()
    private let sink = EventNames()
    private let request = HTTPRequest(method: "GET", url: "http://a.example/")

    @Test func beginsOnce() {
        let exchange = DeferredExchange(delivering: sink)
        exchange.start(request, over: wire)
        exchange.start(request, over: wire)
        #expect(wire.exchanges.count == 1)
        wire.exchanges[0].respond()
        #expect(sink.names == ["head 200", "end"])
    }

    @Test func endsAtOnceWhenItIsCancelledBeforeItBegins() {
        let exchange = DeferredExchange(delivering: sink)
        exchange.cancel()
        exchange.cancel()
        exchange.start(request, over: wire)
        #expect(wire.exchanges.isEmpty)
        #expect(sink.names == ["end cancelled"])
    }

    @Test func forwardsThePauseFromBeforeItsStart() {
        let exchange = DeferredExchange(delivering: sink)
        exchange.pause()
        exchange.start(request, over: wire)
        #expect(wire.exchanges[0].pauses == 1)
        exchange.resume()
        #expect(wire.exchanges[0].resumptions == 1)
        exchange.cancel()
        #expect(wire.exchanges[0].cancellations == 1)
    }

    @Test func resumesAfterAPauseThatIsBeingForwarded() {
        let exchange = DeferredExchange(delivering: sink)
        let wire = ReentrantTransport(whenPaused: { exchange.resume() })
        exchange.pause()
        exchange.start(request, over: wire)
        #expect(wire.calls.last == "resume")
    }

    @Test func aPauseDoesNotOutliveAResumptionAtTheSameTime() {
        let exchange = DeferredExchange(delivering: sink)
        exchange.start(request, over: wire)
        wire.exchanges[0].onPause.set { exchange.resume() }
        exchange.pause()
        #expect(!wire.exchanges[0].isPaused)
    }

    @Test func aResumptionDoesNotOutliveAPauseAtTheSameTime() {
        let exchange = DeferredExchange(delivering: sink)
        exchange.start(request, over: wire)
        wire.exchanges[0].onResume.set { exchange.pause() }
        exchange.resume()
        #expect(wire.exchanges[0].isPaused)
    }

    /// The sink may have answered an event during the start with `wait`.
    @Test func forwardsAResumptionDuringItsStart() {
        let exchange = DeferredExchange(delivering: sink)
        let wire = ReentrantTransport(whenStarted: { exchange.resume() })
        exchange.start(request, over: wire)
        #expect(wire.calls == ["resume"])
    }

    @Test func forwardsNothingOfAPauseThatEndedBeforeItsStart() {
        let exchange = DeferredExchange(delivering: sink)
        exchange.pause()
        exchange.resume()
        exchange.start(request, over: wire)
        #expect(wire.exchanges[0].pauses == 0)
        #expect(wire.exchanges[0].resumptions == 0)
    }
}

/// A transport with one exchange, which calls closures as it starts and before it pauses.
private final class ReentrantTransport: Transport, TransportExchange {
    private let recorded = Lock<[String]>([])
    private let whenStarted: @Sendable () -> Void
    private let whenPaused: @Sendable () -> Void

    init(whenStarted: @escaping @Sendable () -> Void = {}, whenPaused: @escaping @Sendable () -> Void = {}) {
        self.whenStarted = whenStarted
        self.whenPaused = whenPaused
    }

    /// The pauses and resumptions in their order.
    var calls: [String] { recorded.withLock { $0 } }

    func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
        whenStarted()
        return self
    }

    func cancel() {}

    func pause() {
        whenPaused()
        recorded.withLock { $0.append("pause") }
    }

    func resume() { recorded.withLock { $0.append("resume") } }
}
