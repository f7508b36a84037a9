import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Stored values of an app, which may use the cache when they are released.
@Suite struct MemoryCacheStoreTests {
    private let store = MemoryCacheStore(limit: 4000)
    private let releases = Recorded<Void>()

    /// Stores a response with a value that reads the store as it is released.
    private func insert(_ url: String = "https://a.example/", count: Int = 10) throws {
        let sample = try #require(StoredSample.response(url, 1, count: count, in: store))
        let response = try #require(
            HTTPURLResponse(url: .sure(url), statusCode: 200, httpVersion: nil, headerFields: nil))
        let user = CachedURLResponse(
            response: response, data: Data(), userInfo: ["user": Releasing(store, releases)],
            storagePolicy: .allowed)
        store.insert(
            CachedResponse(
                url: url, status: 200, fields: sample.fields, requested: 1, received: 1, body: sample.body,
                handled: user))
    }

    @Test(arguments: 0..<5) func releasesWhatItRemovesAfterItsLock(way: Int) throws {
        try insert()
        switch way {
        case 0: store.removeAll()
        case 1: store.removeAll(ofOrigin: "https://a.example")
        case 2: store.removeAll(for: "https://a.example/")
        case 3: try insert()
        default: for number in 0..<8 { try insert("https://a.example/\(number)", count: 900) }
        }
        #expect(releases.count > 0)
    }
}

private final class Releasing: Sendable {
    private let store: MemoryCacheStore
    private let releases: Recorded<Void>

    init(_ store: MemoryCacheStore, _ releases: Recorded<Void>) {
        self.store = store
        self.releases = releases
    }

    deinit {
        _ = store.size
        releases.add(())
    }
}
