import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Knows the URLs that a `URLCache` surely does not contain, since a lookup takes long.
///
/// From the moment the cache is seen empty, what is kept through this index is all there is. Should the memory that the
/// cache uses change without it, other code stores something there, and the cache is searched again each time. At worst
/// a response is overlooked that another kept, and is loaded once more.
final class ResponseCacheIndex: Sendable {
    private struct State {
        /// `true` if `urls` has every URL that is in the cache.
        var isComplete = false
        var urls: Set<String> = []
        /// The usage of the cache at the last change here.
        var usage = 0
        /// Changes under way, during which the usage says nothing.
        var changes = 0
        /// `true` if there may be files; found out once, since counting them takes long.
        var hasFiles: Bool?
    }

    private let state = Lock(State())

    /// The most URLs that are known; with more the cache is searched.
    private static let mostURLs = 10_000

    /// `true` if a response may be kept under a URL.
    func mayContain(_ url: String, in cache: URLCache) -> Bool {
        let usage = cache.currentMemoryUsage
        return state.withLock { state in
            if state.changes == 0 {
                if usage == 0, !Self.mayHaveFiles(cache, &state) {
                    state.isComplete = true
                    state.urls.removeAll(keepingCapacity: true)
                    state.usage = 0
                }
                if state.usage != usage { state.isComplete = false }
            }
            return !state.isComplete || state.urls.contains(url)
        }
    }

    private static func mayHaveFiles(_ cache: URLCache, _ state: inout State) -> Bool {
        if let known = state.hasFiles { return known }
        let hasFiles = cache.diskCapacity > 0 && cache.currentDiskUsage > 0
        state.hasFiles = hasFiles
        return hasFiles
    }

    /// Changes the cache, and learns of the URL under which a response is kept after that.
    func change(_ url: String?, in cache: URLCache, _ body: (URLCache) -> Void) {
        state.withLock { state in
            state.changes += 1
            guard let url else { return }
            // A response that leaves the memory may stay in a file.
            if cache.diskCapacity > 0 { state.hasFiles = true }
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
