import MoyaTransport

/// Stores responses in memory; the least recently used are removed first.
///
/// Removed responses are released after unlocking, since values of the app in them may use the cache.
final class MemoryCacheStore: CacheStore {
    /// The responses of a URL.
    private struct Group {
        var responses: [CachedResponse]
        var size: Int
        /// Number of the last use.
        var lastUse: UInt64
    }

    private struct State {
        var groups: [String: Group] = [:]
        var size = 0
        /// Number of uses so far.
        var uses: UInt64 = 0
        /// Number of changes so far.
        var changes: UInt64 = 0
    }

    private let state = Lock(State())
    private let limit: Int
    let salt: [UInt8]

    /// The maximum number of stored variants of a response.
    static let mostVariants = 64

    init(limit: Int, salt: [UInt8] = (0..<16).map { _ in .random(in: 0 ... .max) }) {
        self.limit = max(limit, 0)
        self.salt = salt
    }

    /// A response of more than a quarter of the store would evict too many others.
    var longestBody: Int64 { Int64(limit / 4) }

    var size: Int64 { Int64(state.withLock { $0.size }) }

    func responses(for url: String) -> [CachedResponse] { group(for: url) ?? [] }

    /// The responses stored under a URL; `nil` if nothing is known about it.
    func group(for url: String) -> [CachedResponse]? {
        state.withLock { state in
            guard let index = state.groups.index(forKey: url) else { return nil }
            state.uses += 1
            state.groups.values[index].lastUse = state.uses
            return state.groups.values[index].responses
        }
    }

    func insert(_ response: CachedResponse) { insert(response, completes: true) }

    /// Stores a response.
    ///
    /// - Parameter completes: `false` if other responses of the URL may be stored elsewhere: without them in memory, the
    ///   response is not stored either, since it would hide them.
    func insert(_ response: CachedResponse, completes: Bool) {
        change(response.key) { responses in
            guard completes || !responses.isEmpty else { return }
            responses.removeAll { $0.isSameVariant(as: response) }
            responses.append(response)
            if responses.count > Self.mostVariants { responses.removeFirst(responses.count - Self.mostVariants) }
        }
    }

    func remove(_ response: CachedResponse) {
        change(response.key) { $0.removeAll { $0.id == response.id } }
    }

    func removeAll(for url: String) { change(url) { $0 = [] } }

    func removeAll(ofOrigin origin: String) {
        _ = state.withLock { state in
            state.changes += 1
            let removed = state.groups.filter { CacheRules.origin(of: $0.key) == origin }
            for (url, group) in removed {
                state.size -= group.size
                state.groups[url] = nil
            }
            return removed
        }
    }

    func removeAll() {
        _ = state.withLock { state in
            let removed = state.groups
            state.changes += 1
            state.groups = [:]
            state.size = 0
            return removed
        }
    }

    func makeBody() -> any CachedBodyWriter { MemoryBodyWriter(limit: longestBody) }

    // MARK: As a tier in front of files

    /// Number of changes so far, for ``install(_:for:unlessChangedSince:)``.
    var changes: UInt64 { state.withLock { $0.changes } }

    /// Stores all the responses of a URL that were read before.
    func install(_ responses: [CachedResponse], for url: String, unlessChangedSince changes: UInt64) {
        _ = state.withLock { state -> [Group] in
            guard state.changes == changes, state.groups[url] == nil else { return [] }
            Self.put(responses, for: url, in: &state)
            return evict(&state)
        }
    }

    // MARK: Changes

    private func change(_ url: String, _ body: (inout [CachedResponse]) -> Void) {
        _ = state.withLock { state in
            state.changes += 1
            let old = state.groups.removeValue(forKey: url)
            state.size -= old?.size ?? 0
            var responses = old?.responses ?? []
            body(&responses)
            if !responses.isEmpty { Self.put(responses, for: url, in: &state) }
            return (old, evict(&state))
        }
    }

    private static func put(_ responses: [CachedResponse], for url: String, in state: inout State) {
        let size = responses.reduce(0) { $0 + $1.memorySize }
        state.uses += 1
        state.groups[url] = Group(responses: responses, size: size, lastUse: state.uses)
        state.size += size
    }

    /// Makes room: a tenth more than necessary, to avoid sorting for each response.
    ///
    /// - Returns: The removed responses.
    private func evict(_ state: inout State) -> [Group] {
        guard state.size > limit else { return [] }
        let goal = limit - limit / 10
        var removed: [Group] = []
        for (url, group) in state.groups.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
            guard state.size > goal else { break }
            state.size -= group.size
            state.groups[url] = nil
            removed.append(group)
        }
        return removed
    }
}
