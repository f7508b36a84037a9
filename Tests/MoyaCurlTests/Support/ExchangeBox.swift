import MoyaTransport

/// An exchange that its own sink has to reach, which may hear of it before the test does.
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
