import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

/// A cache whose folder cannot be opened at first.
@Suite struct ReopenedStoreTests {
    private let time = SharedTime()
    private let closed = ClosedStore()
    private let opened = MemoryCacheStore(limit: 1 << 20)
    private let cache: HTTPCache

    init() {
        cache = HTTPCache(store: closed) { [time] in time.now }
        opened.insert(
            CachedResponse(url: "http://a/", status: 200, fields: [], requested: 1, received: 2, body: .memory(Data())))
    }

    @Test func usesTheFolderOnceItIsOpen() {
        #expect(cache.store === closed)
        closed.opened.withLock { $0 = opened }
        time.advance(by: 1)
        #expect(cache.store === opened)
    }

    @Test func triesOnceASecond() {
        for _ in 0..<10 { _ = cache.store }
        #expect(closed.tries.value == 1)
    }

    @Test func triesAfterTheClockWasSetBack() {
        _ = cache.store
        time.advance(by: -3_600)
        _ = cache.store
        #expect(closed.tries.value == 2)
    }

    @Test func removesEverythingIfAResponseWasInvalidatedBefore() throws {
        cache.removeResponses(for: try #require(URL(string: "http://a/")))
        closed.opened.withLock { $0 = opened }
        time.advance(by: 1)
        #expect(cache.store.responses(for: "http://a/").isEmpty)
    }

    /// Otherwise another call could be answered with one of them meanwhile.
    @Test func removesEverythingBeforeTheFolderIsUsed() throws {
        cache.removeResponses(for: try #require(URL(string: "http://a/")))
        let removals = Lock<[Bool]>([])
        let reopened = ClosedStore { [cache, closed] in
            let isUnused = cache.store === closed
            removals.withLock { $0.append(isUnused) }
        }
        closed.opened.withLock { $0 = reopened }
        time.advance(by: 1)
        #expect(cache.store === reopened)
        #expect(removals.value == [true])
    }

    @Test func keepsResponsesIfNoneWasInvalidatedBefore() {
        closed.opened.withLock { $0 = opened }
        #expect(cache.store.responses(for: "http://a/").count == 1)
    }

    @Test func removingAllTriesAtOnce() {
        _ = cache.store
        closed.opened.withLock { $0 = opened }
        cache.removeAll()
        #expect(opened.responses(for: "http://a/").isEmpty)
    }
}

/// A store of a folder that cannot be opened until a test sets ``opened``.
private final class ClosedStore: CacheStore {
    let opened = Lock<(any CacheStore)?>(nil)
    let tries = Lock(0)
    let longestBody: Int64 = 0
    let salt: [UInt8] = []
    let size: Int64 = 0
    let mayReopen = true
    private let removal: @Sendable () -> Void

    init(removal: @escaping @Sendable () -> Void = {}) { self.removal = removal }

    func reopened() -> (any CacheStore)? {
        tries.add(1)
        return opened.value
    }

    func responses(for url: String) -> [CachedResponse] { [] }
    func insert(_ response: CachedResponse) {}
    func remove(_ response: CachedResponse) {}
    func removeAll(for url: String) {}
    func removeAll(ofOrigin origin: String) {}
    func removeAll() { removal() }
    func makeBody() -> any CachedBodyWriter { MemoryBodyWriter(limit: 0) }
}
