import MoyaTransport

/// The URLs that were invalidated lately, so that a response which was on its way is not stored after that.
final class Invalidations: Sendable {
    private struct State {
        /// Number of invalidations so far.
        var count: UInt64 = 0
        /// The number of the last one of each URL.
        var last: [String: UInt64] = [:]
        /// The number below which nothing is known any more.
        var oldest: UInt64 = 0
    }

    private let state = Lock(State())
    private static let most = 256

    /// Number of invalidations so far.
    var count: UInt64 { state.withLock { $0.count } }

    /// Records an invalidation.
    func add(_ url: String) {
        state.withLock { state in
            state.count += 1
            if state.last.count >= Self.most {
                state.last = [:]
                state.oldest = state.count
            }
            state.last[url] = state.count
        }
    }

    /// `true` if a URL was invalidated after so many invalidations, or may have been.
    func includes(_ url: String, after count: UInt64) -> Bool {
        state.withLock { $0.oldest > count || $0.last[url].map { $0 > count } ?? false }
    }
}
