import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Knows of a `URLCache` what is surely not in it, since asking the cache takes long.
///
/// From the moment the cache is seen empty, what is kept through this index is all there is. Should the cache's usage
/// change without it, somebody else keeps something there, and the cache is asked again each time. At worst a response is
/// overlooked that another kept, and is loaded once more.
final class ResponseCacheIndex: Sendable {
    private struct Usage: Equatable {
        var memory: Int
        var disk: Int

        init(_ cache: URLCache) {
            memory = cache.currentMemoryUsage
            disk = cache.currentDiskUsage
        }
    }

    private struct State {
        /// Whether `urls` has everything that is in the cache.
        var isComplete = false
        var urls: Set<String> = []
        /// What the cache used when it was last changed here.
        var usage: Usage?
        /// Changes under way, during which the usage says nothing.
        var changes = 0
    }

    private let state = Mutex(State())

    /// The most URLs that are known; with more the cache is asked.
    private static let mostURLs = 10_000

    /// Whether a response may be kept under a URL.
    func mayContain(_ url: String, in cache: URLCache) -> Bool {
        let usage = Usage(cache)
        return state.withLock { state in
            guard state.changes == 0 else { return !state.isComplete || state.urls.contains(url) }
            if usage.memory == 0, usage.disk == 0 {
                state.isComplete = true
                state.urls.removeAll(keepingCapacity: true)
                state.usage = usage
                return false
            }
            if state.usage != usage { state.isComplete = false }
            return !state.isComplete || state.urls.contains(url)
        }
    }

    /// Changes the cache, and learns of the URL under which a response is kept after that.
    func change(_ url: String?, in cache: URLCache, _ body: (URLCache) -> Void) {
        state.withLock { state in
            state.changes += 1
            guard let url, state.isComplete else { return }
            state.urls.insert(url)
            if state.urls.count > Self.mostURLs {
                state.isComplete = false
                state.urls = []
            }
        }
        body(cache)
        let usage = Usage(cache)
        state.withLock { state in
            state.changes -= 1
            state.usage = usage
        }
    }
}
