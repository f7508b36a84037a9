import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Records the URLs that may be in a `URLCache`, since a lookup takes long.
///
/// From the moment when the cache is seen empty, this index knows everything that is stored through it. If the memory
/// usage of the cache changes otherwise, other code uses it, and the cache is searched each time again. At worst a
/// response stored by other code is overlooked, and loaded again.
final class URLCacheIndex: Sendable {
    private struct State {
        /// `true` if `urls` contains every URL in the cache.
        var isComplete = false
        var urls: Set<String> = []
        /// The usage of the cache at the last change here.
        var usage = 0
        /// Changes in progress, during which the usage is not meaningful.
        var changes = 0
        /// `true` if there may be files; determined once, since counting them takes long.
        var hasFiles: Bool?
    }

    private let state = Lock(State())

    /// The maximum number of recorded URLs; beyond it the cache is searched.
    private static let mostURLs = 10_000

    /// `true` if a response may be stored under a URL.
    func mayContain(_ url: String, in cache: URLCache) -> Bool {
        // The cache may be a subclass, and call this session: it is asked before locking.
        let usage = cache.currentMemoryUsage
        if usage == 0, state.withLock({ $0.hasFiles == nil }) {
            let hasFiles = cache.diskCapacity > 0 && cache.currentDiskUsage > 0
            state.withLock { $0.hasFiles = $0.hasFiles ?? hasFiles }
        }
        return state.withLock { state in
            if state.changes == 0 {
                if usage == 0, state.hasFiles == false {
                    state.isComplete = true
                    state.urls.removeAll(keepingCapacity: true)
                    state.usage = 0
                }
                if state.usage != usage { state.isComplete = false }
            }
            return !state.isComplete || state.urls.contains(url)
        }
    }

    /// Changes the cache, and records the URL under which a response is then stored.
    func change(_ url: String?, in cache: URLCache, _ body: (URLCache) -> Void) {
        let storesFiles = url != nil && cache.diskCapacity > 0
        state.withLock { state in
            state.changes += 1
            guard let url else { return }
            // A response evicted from memory may stay in a file.
            if storesFiles { state.hasFiles = true }
            guard state.isComplete else { return }
            state.urls.insert(url)
            if state.urls.count > Self.mostURLs {
                state.isComplete = false
                state.urls = []
            }
        }
        body(cache)
        let usage = cache.currentMemoryUsage
        state.withLock { state in
            state.changes -= 1
            state.usage = usage
        }
    }
}
