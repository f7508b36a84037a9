import MoyaTransport

/// An exchange for its own sink, which may receive events before the test has the handle.
final class ExchangeBox: Sendable {
    private struct State {
        var exchange: (any TransportExchange)?
        var isCancelled = false
    }

    private let state = Lock(State())

    func cancel() {
        let exchange = state.withLock { state in
            state.isCancelled = true
            return state.exchange
        }
        exchange?.cancel()
    }

    /// Takes the exchange, and cancels it where the sink has already cancelled.
    func hold(_ exchange: any TransportExchange) {
        let isCancelled = state.withLock { state in
            state.exchange = exchange
            return state.isCancelled
        }
        if isCancelled { exchange.cancel() }
    }
}
