import MoyaTransport

/// Byte counts waiting for a queue, which one block delivers in order.
///
/// One block per count would wake a thread of the queue for each chunk of a body.
final class ProgressBatch: Sendable {
    private struct State {
        var counts: [ProviderCall.ByteCount] = []
        /// `true` while a thread delivers; a concurrent queue may run other blocks at the same time.
        var isDelivering = false
        /// Called after the last count.
        var end: (@Sendable () -> Void)?
    }

    let call: ProviderCall
    private let state = Lock(State())

    init(of call: ProviderCall) { self.call = call }

    /// Adds a count.
    ///
    /// - Returns: `true` if a block has to be enqueued, which takes this count and those added until it runs.
    func add(_ count: ProviderCall.ByteCount) -> Bool {
        state.withLock { state in
            state.counts.append(count)
            return state.counts.count == 1
        }
    }

    /// Passes on the counts in order, then calls a closure; leaves both to another thread that is delivering.
    func deliver(then end: (@Sendable () -> Void)? = nil, _ notify: (ProviderCall.ByteCount) -> Void) {
        let isFirst = state.withLock { state in
            state.end = end ?? state.end
            defer { state.isDelivering = true }
            return !state.isDelivering
        }
        guard isFirst else { return }
        while true {
            let (counts, end) = state.withLock { state -> ([ProviderCall.ByteCount], (@Sendable () -> Void)?) in
                defer { state.counts = [] }
                guard state.counts.isEmpty else { return (state.counts, nil) }
                state.isDelivering = false
                return ([], state.end.take())
            }
            guard !counts.isEmpty else {
                end?()
                return
            }
            for count in counts { notify(count) }
        }
    }
}
