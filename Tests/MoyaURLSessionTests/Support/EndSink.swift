import MoyaTransport

/// Waits for the end of one exchange and counts its end events.
final class EndSink: TransportSink {
    private struct State {
        var ends: [TransportEnd] = []
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Lock(State())

    func receive(_ event: TransportEvent) -> TransportDemand {
        guard case .end(let end) = event else { return .more }
        let waiter = state.withLock { state in
            state.ends.append(end)
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
        return .more
    }

    var ends: [TransportEnd] { state.withLock { $0.ends } }

    func waitForEnd() async {
        await withCheckedContinuation { continuation in
            let isEnded = state.withLock { state in
                if state.ends.isEmpty { state.waiter = continuation }
                return !state.ends.isEmpty
            }
            if isEnded { continuation.resume() }
        }
    }
}
