import Foundation
import MoyaTesting
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A cache that looks itself up whenever it is asked for its files.
private final class ReentrantCache: URLCache, @unchecked Sendable {
    let index = URLCacheIndex()
    private let lookups = Recorder<Int>()

    private func lookUp() {
        guard lookups.values.isEmpty else { return }
        lookups.append(1)
        _ = index.mayContain("http://a.example/", in: self)
    }

    override var diskCapacity: Int {
        get {
            lookUp()
            return 1
        }
        set {}
    }

    override var currentDiskUsage: Int {
        lookUp()
        return 1
    }
}

@Suite struct URLCacheIndexTests {
    @Test func aCacheMayLookUpAResponseWhileItIsAskedForItsFiles() {
        let cache = ReentrantCache(memoryCapacity: 1_000, diskCapacity: 0, diskPath: nil)
        #expect(cache.index.mayContain("http://a.example/", in: cache))
    }

    @Test func aCacheMayLookUpAResponseWhileItIsChanged() {
        let cache = ReentrantCache(memoryCapacity: 1_000, diskCapacity: 0, diskPath: nil)
        cache.index.change("http://a.example/", in: cache) { _ in }
        #expect(cache.index.mayContain("http://a.example/", in: cache))
    }
}
