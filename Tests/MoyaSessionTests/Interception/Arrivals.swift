import MoyaTransport

/// Counts events, and lets a test wait for a number of them.
final class Arrivals: Sendable {
    private struct State {
        var count = 0
        var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Lock(State())

    var count: Int { state.withLock { $0.count } }

    func arrive() {
        let due = state.withLock { state in
            state.count += 1
            let count = state.count
            let due = state.waiting.filter { $0.count <= count }
            state.waiting.removeAll { $0.count <= count }
            return due
        }
        for waiting in due { waiting.continuation.resume() }
    }

    func reach(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                if state.count < count { state.waiting.append((count, continuation)) }
                return state.count >= count
            }
            if isReached { continuation.resume() }
        }
    }
}
