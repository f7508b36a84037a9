import MoyaTransport

/// The recently invalidated URLs and origins, so that a response in transit is not stored afterwards.
final class Invalidations: Sendable {
    private struct State {
        /// Number of invalidations so far.
        var count: UInt64 = 0
        /// The number of the last invalidation of each URL, by its hash: a URL may be long, and a collision only keeps a
        /// response out of the cache.
        var last: [Int: UInt64] = [:]
        /// The number below which invalidations are no longer recorded.
        var oldest: UInt64 = 0
    }

    private let state = Lock(State())
    private static let most = 256

    /// Number of invalidations so far.
    var count: UInt64 { state.withLock { $0.count } }

    /// Records an invalidation of everything.
    func addAll() {
        state.withLock { state in
            state.count += 1
            state.last = [:]
            state.oldest = state.count
        }
    }

    /// Records an invalidation.
    func add(_ url: String) {
        let hash = url.hashValue
        state.withLock { state in
            state.count += 1
            if state.last.count >= Self.most {
                state.last = [:]
                state.oldest = state.count
            }
            state.last[hash] = state.count
        }
    }

    /// `true` if a URL or an origin was, or may have been, invalidated after a number of invalidations.
    func includes(_ url: String, after count: UInt64) -> Bool {
        let hash = url.hashValue
        return state.withLock { $0.oldest > count || $0.last[hash].map { $0 > count } ?? false }
    }
}
