import MoyaTransport
import Testing

@testable import MoyaSession

@Suite struct RelayedExchangeTests {
    private let exchange = Relay()
    private let first = SteppedTransport.Exchange(
        request: HTTPRequest(method: "GET", url: "http://a.example/"), sink: nil)
    private let second = SteppedTransport.Exchange(
        request: HTTPRequest(method: "GET", url: "http://b.example/"), sink: nil)

    @Test func onlyTheLatestExchangeIsAsked() {
        exchange.relay { first }
        exchange.relay { second }
        exchange.pause()
        exchange.resume()
        exchange.cancel()
        #expect((first.pauses, first.resumptions, first.cancellations) == (0, 0, 0))
        #expect((second.pauses, second.resumptions, second.cancellations) == (1, 1, 1))
    }

    @Test func aHandleIsAskedForWhatCameBeforeIt() {
        exchange.relay {
            exchange.pause()
            exchange.cancel()
            return first
        }
        #expect(first.isPaused)
        #expect(first.cancellations == 1)
    }

    @Test func aResumptionBeforeTheHandleReachesIt() {
        exchange.relay {
            exchange.resume()
            return first
        }
        #expect(first.resumptions == 1)
    }

    @Test func thePauseOfACallerHoldsTheNextExchange() {
        exchange.relay { first }
        exchange.pause()
        exchange.relay { second }
        #expect(second.isPaused)
    }

    @Test func aHandleThatComesAfterTheNextExchangeIsIgnored() {
        exchange.relay {
            exchange.relay { second }
            return first
        }
        exchange.cancel()
        #expect(first.cancellations == 0)
        #expect(second.cancellations == 1)
    }

    @Test func aHandleThatComesAfterTheEndIsIgnored() {
        exchange.relay {
            exchange.withRelay { $0.end() }
            return first
        }
        #expect(exchange.withRelay { $0.handle } == nil)
    }

    @Test func anExchangeThatCannotBeStartedIsReported() {
        #expect(!exchange.relay { nil })
        #expect(!exchange.passOn(pauses: true))
        #expect(exchange.relay { first })
        #expect(first.isPaused)
    }

    /// An exchange that only relays.
    private final class Relay: RelayedExchange {
        private let state = Lock(ExchangeRelay())

        func withRelay<Result: Sendable>(_ body: (inout ExchangeRelay) -> Result) -> Result {
            state.withLock { body(&$0) }
        }
    }
}
