import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A `URLCache` under the cache's rules: the app sees stored responses, and may store and remove them too.
@Suite struct URLCacheStoreTests {
    private let urlCache = URLCache(memoryCapacity: 4 << 20, diskCapacity: 0, diskPath: nil)
    private let store: URLCacheStore
    private let fresh = [("Cache-Control", "max-age=60"), ("ETag", "\"1\"")]

    init() { store = URLCacheStore(urlCache) }

    private func response(_ url: String, _ text: String, _ fields: [(String, String)] = []) -> CachedResponse {
        CachedResponse(
            url: url, status: 200, fields: [HTTPField](fields), requested: 5, received: 7,
            body: .memory(Data(text.utf8)))
    }

    private func text(_ url: String, in store: URLCacheStore? = nil) -> String? {
        guard let found = (store ?? self.store).responses(for: url).first, case .memory(let data) = found.body else {
            return nil
        }
        return String(decoding: data, as: UTF8.self)
    }

    private func scene(
        _ answers: StubbedTransport.Answer..., handler: (any CachedResponseHandler)? = nil
    ) -> CacheScene {
        CacheScene(StubbedTransport(answers), handler: handler, store: store)
    }

    /// Stores a response as other code does.
    private func storeElsewhere(
        _ text: String, _ fields: [String: String], _ notes: [AnyHashable: Any]? = nil
    ) throws {
        let url = URL.sure("https://example.com/a")
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: fields))
        urlCache.storeCachedResponse(
            CachedURLResponse(response: response, data: Data(text.utf8), userInfo: notes, storagePolicy: .allowed),
            for: URLRequest(url: url))
    }

    @Test func aStoredResponseIsInTheAppsCache() async {
        let scene = scene(.response(200, fresh, "one"))
        await scene.send()
        #expect(urlCache.cachedResponse(for: .to("https://example.com/a"))?.data == Data("one".utf8))
    }

    @Test(arguments: ["http://e.com/a?page=2", "http://e.com/a", "https://e.com/a?page=1", "http://e.com/a?page=1&x"])
    func aResponseIsNeverUsedForAnotherURL(other: String) {
        _ = text(other)
        store.insert(response("http://e.com/a?page=1", "one"))
        #expect(text(other) == nil)
        #expect(text(other, in: URLCacheStore(urlCache)) == nil)
        #expect(text("http://e.com/a?page=1") == "one")
    }

    @Test func theStoredRequestDataComesBack() throws {
        let stored = CachedResponse(
            url: "http://e.com/", status: 203,
            fields: [HTTPField(name: "Vary", value: "Accept"), HTTPField(name: "Age", value: "3")],
            requested: 5, received: 7, variants: [CacheVariant(name: "accept", value: "=a/b")],
            credential: CacheCredential(authorization: "a", cookie: "b"), body: .memory(Data("one".utf8)))
        store.insert(stored)
        let found = try #require(store.responses(for: "http://e.com/").first)
        #expect(found.status == 203)
        #expect(found.isSameVariant(as: stored))
        #expect(found.freshness == stored.freshness)
    }

    @Test(arguments: [199_000, 300_000]) func aResponseOfMoreThanATwentiethOfTheCapacityIsNotStored(count: Int) async {
        let scene = scene(.response(200, fresh, String(repeating: "x", count: count)))
        for _ in 0..<2 { await scene.send() }
        #expect(scene.wire.requests.count == (count < 200_000 ? 1 : 2))
    }

    @Test func aPartIsNotStored() async {
        let scene = scene(.response(206, fresh + [("Content-Range", "bytes 0-2/9")], "one"))
        let outcome = await scene.send(fields: [("Range", "bytes=0-2")])
        #expect(scene.status(outcome)?.isStored == false)
        #expect(urlCache.cachedResponse(for: .to("https://example.com/a")) == nil)
    }

    @Test(arguments: [true, false]) func anOriginIsForgotten(isSame: Bool) {
        store.insert(response("https://e.com/a", "one"))
        store.removeAll(ofOrigin: isSame ? "https://e.com" : "https://other.com")
        #expect((text("https://e.com/a") == nil) == isSame)
    }

    // MARK: The session

    @Test func aStaleResponseIsValidated() async {
        let scene = scene(.response(200, fresh, "one"), .response(304, fresh))
        await scene.send()
        scene.advance(by: 61)
        for _ in 0..<2 { #expect(await scene.get() == "one") }
        #expect(scene.wire.requests.count == 2)
    }

    @Test func a304ThatForbidsStoringRemoves() async {
        let scene = scene(.response(200, fresh, "one"), .response(304, [("Cache-Control", "no-store")]))
        await scene.send()
        scene.advance(by: 61)
        await scene.send()
        #expect(urlCache.cachedResponse(for: .to("https://example.com/a")) == nil)
    }

    @Test func aResponseThatMayNotBeStoredRemovesTheOneBefore() async {
        let scene = scene(.response(200, fresh, "one"), .response(200, [("Cache-Control", "no-store")], "two"))
        await scene.send()
        await scene.send(policy: .reloadIgnoringLocalCacheData)
        #expect(urlCache.cachedResponse(for: .to("https://example.com/a")) == nil)
    }

    @Test func storingRunsOnAQueueThatMayBlock() async {
        let wire = SteppedTransport(deliversWhereCodeMayBlock: false)
        let queue = DispatchQueue(label: "test")
        let transport = CacheTransport(
            inner: wire, cache: HTTPCache(store: store), policy: .useProtocolCachePolicy, queue: queue)
        let sink = RecordingSink()
        let call = transport.start(HTTPRequest(method: "GET", url: "https://example.com/a"), delivering: sink)
        queue.suspend()
        wire.exchanges[0].respond(200, fresh, "one")
        #expect(urlCache.cachedResponse(for: .to("https://example.com/a")) == nil)
        queue.resume()
        queue.sync {}
        #expect(urlCache.cachedResponse(for: .to("https://example.com/a"))?.data == Data("one".utf8))
        #expect(sink.ends == 1)
        withExtendedLifetime(call) {}
    }

    // MARK: Handlers

    @Test func aResponseRemadeByAHandlerKeepsItsMetadata() async {
        let scene = scene(
            .response(200, fresh + [("Vary", "Accept")], "one"), .response(200, fresh, "three"),
            handler: .modify { _, response in
                CachedURLResponse(
                    response: response.response, data: Data("two".utf8), userInfo: ["mine": 1], storagePolicy: .allowed)
            })
        await scene.send(fields: [("Accept", "a/b")])
        #expect(urlCache.cachedResponse(for: .to("https://example.com/a"))?.userInfo?["mine"] as? Int == 1)
        #expect(await scene.get([("Accept", "a/b")]) == "two")
        #expect(await scene.get([("Accept", "c/d")]) == "three")
    }

    @Test func aHandlerMayForbidStoringByThePolicy() async {
        let scene = scene(
            .response(200, fresh, "one"),
            handler: .modify { _, response in
                CachedURLResponse(
                    response: response.response, data: response.data, userInfo: nil, storagePolicy: .notAllowed)
            })
        for _ in 0..<2 { await scene.send() }
        #expect(scene.wire.requests.count == 2)
    }

    // MARK: Others that use the same cache

    @Test func findsAResponseStoredByAnotherSession() {
        #expect(text("http://e.com/a") == nil)
        URLCacheStore(urlCache).insert(response("http://e.com/a", "one"))
        #expect(text("http://e.com/a") == "one")
    }

    @Test func aPublicResponseOfTheAppIsUsed() async throws {
        try storeElsewhere(
            "one", ["Cache-Control": "public, max-age=60", "Date": Date(timeIntervalSince1970: 1e9).httpText])
        let scene = scene(.response(200, fresh, "two"))
        #expect(await scene.get() == "one")
    }

    @Test func aResponseOfTheAppThatMayBeForACredentialIsNotUsed() async throws {
        try storeElsewhere(
            "one", ["Cache-Control": "max-age=60", "Date": Date(timeIntervalSince1970: 1e9).httpText])
        let scene = scene(.response(200, fresh, "two"))
        #expect(await scene.get() == "two")
    }

    @Test func aResponseOfTheAppWithoutATimeIsStale() async throws {
        try storeElsewhere("one", ["Cache-Control": "public, max-age=2147483647"])
        let scene = scene(.response(200, fresh, "two"))
        #expect(await scene.get() == "two")
    }

    @Test(arguments: ["Accept", "*"]) func aResponseOfTheAppThatVariesIsNotSelected(names: String) async throws {
        try storeElsewhere("one", ["Cache-Control": "public, max-age=60", "Vary": names])
        let scene = scene(.response(200, fresh, "two"))
        #expect(await scene.send(policy: .returnCacheDataElseLoad).data == Data("two".utf8))
    }

    @Test func malformedMetadataIsIgnored() async throws {
        try storeElsewhere(
            "one", ["Cache-Control": "public, max-age=60"],
            ["MoyaReceived": Double.nan, "MoyaAge": -Double.infinity, "MoyaVariants": 5, "MoyaCredential": 7])
        let scene = scene(.response(200, fresh, "two"))
        #expect(await scene.send(policy: .returnCacheDataElseLoad).data == Data("one".utf8))
        #expect(await scene.get() == "two")
    }

    @Test func aResponseOfAnotherSchemeIsNotUsed() {
        let response = URLResponse(
            url: .sure("file:///x"), mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
        #expect(CachedResponse(CachedURLResponse(response: response, data: Data()), at: "file:///x") == nil)
    }

    @Test func aSecretThatAResponseVariesByIsNotStored() async {
        let scene = scene(.response(200, fresh + [("Vary", "Cookie, Authorization")], "one"))
        await scene.send(fields: [("Cookie", "session=hunter2"), ("Authorization", "Bearer hunter2")])
        let notes = urlCache.cachedResponse(for: .to("https://example.com/a"))?.userInfo
        #expect(notes?["MoyaVariants"] != nil)
        #expect(!String(describing: notes).contains("hunter2"))
    }

    @Test func aResponseRemovedByTheAppIsGone() {
        store.insert(response("http://e.com/a", "one"))
        urlCache.removeAllCachedResponses()
        #expect(text("http://e.com/a") == nil)
        store.insert(response("http://e.com/a", "two"))
        #expect(text("http://e.com/a") == "two")
    }

    @Test func findsAResponseFromAnEarlierFile() throws {
        let directory = try TestDirectory()
        func open() -> URLCacheStore {
            URLCacheStore(
                URLCache(memoryCapacity: 1 << 20, diskCapacity: 8 << 20, diskPath: directory.url.path))
        }
        let first = open()
        #expect(text("http://e.com/a", in: first) == nil)
        first.insert(response("http://e.com/a", "one"))
        #expect(text("http://e.com/a", in: first) == "one")
        #expect(text("http://e.com/a", in: open()) == "one")
    }

    @Test func manyThreadsFindTheirStoredResponses() {
        let isRight = Lock(true)
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for round in 0..<200 {
                let url = "http://e.com/\(thread)/\(round % 10)"
                store.insert(response(url, "\(thread).\(round)"))
                if text(url) != "\(thread).\(round)" { isRight.withLock { $0 = false } }
            }
        }
        #expect(isRight.withLock { $0 })
    }
}
