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
}
