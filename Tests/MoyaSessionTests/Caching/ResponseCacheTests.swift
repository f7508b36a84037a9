import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct ResponseCacheTests {
    private let urlCache = URLCache(memoryCapacity: 4 << 20, diskCapacity: 0, diskPath: nil)
    private let cache: ResponseCache
    private let now = Date()

    init() { cache = ResponseCache(urlCache) }

    private func request(_ url: String, method: String = "GET", fields: [String: String] = [:]) -> HTTPRequest {
        HTTPRequest(
            method: method, url: url, fields: fields.map { HTTPField(name: $0.key, value: $0.value) })
    }

    @discardableResult
    private func keep(
        _ text: String, at url: String, _ fields: [String: String] = ["Cache-Control": "max-age=60"],
        in cache: ResponseCache? = nil
    ) -> Bool {
        let cache = cache ?? self.cache
        let request = request(url)
        guard
            let proposal = cache.proposal(
                CacheSample.head(fields), body: Data(text.utf8), for: request, requested: now, received: now)
        else { return false }
        cache.store(proposal, for: request)
        return true
    }

    private func body(
        _ url: String, _ policy: URLRequest.CachePolicy = .useProtocolCachePolicy, in cache: ResponseCache? = nil
    ) -> String? {
        guard case .use(let stored) = (cache ?? self.cache).decide(on: request(url), policy: policy, now: now) else {
            return nil
        }
        return String(decoding: stored.body, as: UTF8.self)
    }

    @Test func findsAStoredResponse() {
        #expect(body("http://e.com/a") == nil)
        #expect(keep("one", at: "http://e.com/a"))
        #expect(body("http://e.com/a") == "one")
        #expect(body("http://e.com/b") == nil)
    }

    @Test func storedResponseIsInTheUsersCache() {
        keep("one", at: "http://e.com/a")
        #expect(urlCache.cachedResponse(for: .to("http://e.com/a"))?.data == Data("one".utf8))
    }

    @Test(arguments: ["http://e.com/a?page=2", "http://e.com/a", "https://e.com/a?page=1", "http://e.com/a?page=1&x"])
    func aResponseIsNeverTakenForThatOfAnotherURL(other: String) {
        _ = body(other)
        keep("one", at: "http://e.com/a?page=1")
        #expect(body(other, .returnCacheDataElseLoad) == nil)
        #expect(body(other, .returnCacheDataElseLoad, in: ResponseCache(urlCache)) == nil)
        #expect(body("http://e.com/a?page=1") == "one")
    }

    @Test func onlyGETsAreAnswered() {
        keep("one", at: "http://e.com/a")
        guard case .load = cache.decide(on: request("http://e.com/a", method: "POST"), policy: .useProtocolCachePolicy)
        else {
            Issue.record("answered")
            return
        }
        guard
            case .refuse = cache.decide(
                on: request("http://e.com/a", method: "POST"), policy: .returnCacheDataDontLoad)
        else {
            Issue.record("loaded")
            return
        }
    }

    @Test func aResponseThatMayNotBeKeptRemovesTheOneBefore() {
        keep("one", at: "http://e.com/a")
        #expect(!keep("two", at: "http://e.com/a", ["Cache-Control": "no-store"]))
        #expect(body("http://e.com/a", .returnCacheDataElseLoad) == nil)
    }

    @Test func aResponseThatIsTooLargeIsNotKept() {
        #expect(keep(String(repeating: "x", count: 200_000), at: "http://e.com/a"))
        #expect(!keep(String(repeating: "x", count: 300_000), at: "http://e.com/a"))
    }

    @Test func a304MakesAStaleResponseFresh() throws {
        keep("one", at: "http://e.com/a", ["Cache-Control": "max-age=0", "ETag": "\"x\""])
        let asked = request("http://e.com/a")
        guard case .validate(let stored, _) = cache.decide(on: asked, policy: .useProtocolCachePolicy, now: now) else {
            Issue.record("not asked about")
            return
        }
        let fresh = cache.freshen(
            stored, by: CacheSample.head(["Cache-Control": "max-age=60"], status: 304), for: asked, requested: now,
            received: now)
        #expect(fresh.body == Data("one".utf8))
        #expect(body("http://e.com/a") == "one")
    }

    @Test func a304ThatForbidsKeepingRemoves() throws {
        keep("one", at: "http://e.com/a", ["ETag": "\"x\""])
        guard
            case .validate(let stored, _) = cache.decide(on: request("http://e.com/a"), policy: .useProtocolCachePolicy)
        else {
            Issue.record("not asked about")
            return
        }
        _ = cache.freshen(
            stored, by: CacheSample.head(["Cache-Control": "no-store"], status: 304), for: request("http://e.com/a"),
            requested: now)
        #expect(body("http://e.com/a", .returnCacheDataElseLoad) == nil)
    }

    @Test func aChangeRemovesWhatItChanged() {
        for path in ["a", "b", "c"] { keep(path, at: "http://e.com/\(path)") }
        cache.invalidate(
            after: request("http://e.com/a", method: "PUT"), CacheSample.head(["Location": "/b#part"], status: 201))
        #expect(body("http://e.com/a") == nil)
        #expect(body("http://e.com/b") == nil)
        #expect(body("http://e.com/c") == "c")
    }

    // MARK: Handlers

    @Test func aResponseMadeAnewByAHandlerKeepsWhatMustBeKnown() throws {
        let asked = request("http://e.com/a", fields: ["Accept": "text/plain", "Authorization": "Bearer one"])
        let head = CacheSample.head(["Cache-Control": "max-age=60", "Vary": "Accept"])
        let proposal = try #require(cache.proposal(head, body: Data("one".utf8), for: asked, requested: now))
        cache.store(
            CachedURLResponse(
                response: proposal.response, data: Data("two".utf8), userInfo: ["mine": 1], storagePolicy: .allowed),
            for: asked)
        guard case .use(let stored) = cache.decide(on: asked, policy: .useProtocolCachePolicy) else {
            Issue.record("not used")
            return
        }
        #expect(stored.body == Data("two".utf8))
        #expect(urlCache.cachedResponse(for: .to("http://e.com/a"))?.userInfo?["mine"] as? Int == 1)
        guard case .load = cache.decide(on: request("http://e.com/a"), policy: .useProtocolCachePolicy) else {
            Issue.record("used for other fields")
            return
        }
    }

    // MARK: Others that use the same cache

    @Test func findsAResponseStoredByOthers() {
        let other = ResponseCache(urlCache)
        #expect(body("http://e.com/a") == nil)
        keep("one", at: "http://e.com/a", in: other)
        #expect(body("http://e.com/a") == "one")
    }

    @Test func responseRemovedByTheUserIsGone() {
        keep("one", at: "http://e.com/a")
        urlCache.removeAllCachedResponses()
        #expect(body("http://e.com/a") == nil)
        keep("two", at: "http://e.com/a")
        #expect(body("http://e.com/a") == "two")
    }

    @Test func findsAResponseFromAnEarlierFile() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("cache-\(UUID())")
        defer { try? FileManager.default.removeItem(at: directory) }
        func open() -> URLCache {
            URLCache(memoryCapacity: 1 << 20, diskCapacity: 8 << 20, diskPath: directory.path)
        }
        let first = ResponseCache(open())
        #expect(body("http://e.com/a", in: first) == nil)
        keep("one", at: "http://e.com/a", in: first)
        #expect(body("http://e.com/a", in: first) == "one")
        #expect(body("http://e.com/a", in: ResponseCache(open())) == "one")
    }

    @Test func manyThreadsFindWhatTheyKept() {
        let cache = cache
        let now = now
        let isRight = Lock(true)
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for round in 0..<200 {
                let url = "http://e.com/\(thread)/\(round % 10)"
                let text = "\(thread).\(round)"
                keep(text, at: url)
                guard case .use(let stored) = cache.decide(on: request(url), policy: .useProtocolCachePolicy, now: now),
                    stored.body == Data(text.utf8)
                else { return isRight.withLock { $0 = false } }
            }
        }
        #expect(isRight.withLock { $0 })
    }
}
