import MoyaTransport

/// Cancels a call, even if it is cancelled before it has started.
final class CancellationBox: Sendable {
    private struct State {
        var cancellable: (any Cancellable)?
        var isCancelled = false
    }

    private let state = Lock(State())

    func set(_ cancellable: any Cancellable) {
        let isCancelled = state.withLock { state in
            state.cancellable = cancellable
            return state.isCancelled
        }
        if isCancelled { cancellable.cancel() }
    }

    func cancel() {
        let cancellable = state.withLock { state in
            state.isCancelled = true
            return state.cancellable
        }
        cancellable?.cancel()
    }
}
