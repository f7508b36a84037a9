import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Newer responses that are not stored: the older ones are not used again.
@Suite struct CacheReloadTests {
    private let fresh = [("Cache-Control", "max-age=60, stale-if-error=600"), ("ETag", "W/\"1\"")]
    private let long = String(repeating: "a", count: 3000)

    /// A scene whose second response is longer than the store accepts.
    private func scene() -> CacheScene {
        CacheScene(
            StubbedTransport(
                .response(200, fresh, "one"), .response(200, fresh, long), .response(200, fresh, "three")),
            limit: 10_000)
    }

    @Test(
        arguments: [
            ([("Cache-Control", "no-cache")], URLRequest.CachePolicy.useProtocolCachePolicy),
            ([], .reloadIgnoringLocalCacheData), ([], .reloadIgnoringLocalAndRemoteCacheData),
            ([], .reloadRevalidatingCacheData), ([("If-None-Match", "\"2\"")], .useProtocolCachePolicy),
        ] as [([(String, String)], URLRequest.CachePolicy)])
    func aResponseThatIsTooLongToStoreReplacesTheOlderOne(
        fields: [(String, String)], policy: URLRequest.CachePolicy
    ) async {
        let scene = scene()
        await scene.send()
        #expect(scene.text(await scene.send("GET", "https://example.com/a", fields, policy: policy)) == long)
        #expect(await scene.get() == "three")
        #expect(scene.wire.requests.count == 3)
    }

    @Test func aResponseThatIsTooLongToStoreReplacesAStaleOne() async {
        let scene = CacheScene(
            StubbedTransport(.response(200, fresh, "one"), .response(200, fresh, long), .failure(.connect)),
            limit: 10_000)
        await scene.send()
        scene.advance(by: 61)
        await scene.send()
        #expect(await scene.send().error != nil)
    }

    @Test func aWholeThatIsTooLongToStoreReplacesAPart() async {
        let part = StubbedTransport.Answer.response(206, fresh + [("Content-Range", "bytes 0-2/3000")], "one")
        let scene = CacheScene(
            StubbedTransport(part, .response(200, fresh, long), .response(206, [], "new")), limit: 10_000)
        await scene.send(fields: [("Range", "bytes=0-2")])
        await scene.send()
        #expect(await scene.get([("Range", "bytes=0-2")]) == "new")
    }

    @Test func aReloadThatBreaksOffKeepsTheOlderResponse() async {
        let scene = CacheScene(
            StubbedTransport(.response(200, fresh, "one"), .cut(200, fresh, long)), limit: 10_000)
        await scene.send()
        await scene.send(fields: [("Cache-Control", "no-cache")])
        #expect(await scene.get() == "one")
    }

    @Test(arguments: [nil, URLCache.StoragePolicy.notAllowed])
    func aResponseThatAHandlerRefusesReplacesTheOlderOne(policy: URLCache.StoragePolicy?) async {
        let decisions = Lock(0)
        let handler = ResponseCacher(
            behavior: .modify { _, response in
                let isFirst = decisions.withLock { decisions in
                    decisions += 1
                    return decisions == 1
                }
                guard !isFirst else { return response }
                return policy.map {
                    CachedURLResponse(
                        response: response.response, data: response.data, userInfo: nil, storagePolicy: $0)
                }
            })
        let scene = CacheScene(
            StubbedTransport(
                .response(200, fresh, "one"), .response(200, fresh, "two"), .response(200, fresh, "three")),
            handler: handler)
        await scene.send()
        await scene.send(fields: [("Cache-Control", "no-cache")])
        #expect(await scene.get() == "three")
    }

    /// While many bytes wait to be written, a further response is not stored.
    @Test func aResponseThatADiskCannotTakeReplacesTheOlderOne() throws {
        let directory = try TestDirectory()
        let store = DiskCacheStore(at: directory.url.path, limit: 1 << 30, encryption: nil) { _ in }
        let old = try #require(StoredSample.response("http://e.com/a", 1, count: 300_000, in: store))
        let new = try #require(StoredSample.response("http://e.com/a", 2, count: 300_000, in: store))
        store.insert(old)
        store.flush()
        let waiting = CachedResponse(
            url: "http://e.com/b", status: 200, fields: [], requested: 1, received: 1,
            body: .memory(Data(count: 64 << 20)))
        store.insert(waiting)
        store.insert(new)
        #expect(!store.responses(for: "http://e.com/a").contains { $0.id == old.id })
        store.flush()
    }
}
