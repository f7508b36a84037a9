import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

/// draft-ietf-httpbis-no-vary-search: which queries have one response.
@Suite struct NoVarySearchTests {
    private static func read(_ value: String) -> NoVarySearch? {
        NoVarySearch([HTTPField(name: "no-vary-search", value: value)])
    }

    private func areEquivalent(_ one: String, _ other: String, _ value: String) -> Bool {
        let base = "https://example.com/a"
        return Self.read(value)?.areEquivalent(base + one, base + other) ?? (one == other)
    }

    @Test(arguments: [
        "unknown-key", "key-order=\"not a boolean\"", "params=\"not a boolean or inner list\"", "params=(not-a-string)",
        "params=(\"a\"), except=(\"x\")", "params=(), except=()", "params=?0, except=(\"x\")",
        "params, except=(not-a-string)", "params, except=\"not an inner list\"", "params, except=?1", "except=(\"x\")",
        "except=()", "params=?0", "params=()", "key-order=?0", "", "params,", "params params", "PARAMS",
        "params=(\"a\"",
        "params=(\"a\"\"b\")", "params=(\"é\")", "key-order=1", "params;", "params=", "params, other=@",
        "params, other=%",
    ])
    func aMalformedOrEmptyFieldIsIgnored(value: String) { #expect(Self.read(value) == nil) }

    @Test(arguments: [
        "params", "params=?1", "params;a=1", "params, foo=:YQ==:", "params, foo=1.5;b", "params, foo=-7, bar=@1",
        "params, foo=%\"x%c3%a9\"", "params, foo=tok/en:x", "*foo-_.=?0 ,\tparams", "params=(\"a\"), params",
    ])
    func otherMembersAreIgnored(value: String) { #expect(areEquivalent("?a=1", "?b=2", value)) }

    @Test(
        arguments: [
            ("params", "?a=1", "?b=2", true), ("params", "", "?b=2", true), ("params", "?", "", true),
            ("params=(\"a\")", "?a=1&b=2", "?b=2&a=3", true), ("params=(\"a\")", "?b=1", "?b=2", false),
            ("params=(\"a\")", "?b=1&c=2", "?c=2&b=1", false), ("params, except=(\"a\")", "?a=1&b=2", "?c=3&a=1", true),
            ("params, except=(\"a\")", "?a=1", "?a=2", false), ("params, except=(\"a\")", "?a=1", "", false),
            ("key-order", "?a=1&b=2", "?b=2&a=1", true), ("key-order", "?a=1&a=2", "?a=2&a=1", false),
            ("key-order", "?a=x", "?%61=%78", true), ("key-order", "?a=%C3%A9", "?a=é", true),
            ("key-order", "?a=%C3%A9", "?a=e%CC%81", false), ("params=(\"%C3%A9\")", "?e%CC%81=1", "?e%CC%81=2", false),
            ("key-order", "?a=%f6", "?a=%ef%bf%bd", true), ("key-order", "?a=x&&&&", "?a=x", true),
            ("key-order", "?a=", "?a", true), ("key-order", "?a=%20", "?a=+", true),
            ("key-order", "?a=%2", "?a=%252", true),
            ("key-order", "?a=b=c", "?a=b%3Dc", true),
            ("params=(\"%C3%A9+%E6%B0%97\")", "?é%20気=1", "?%C3%A9+%E6%B0%97=2", true),
            ("params=(\"\\\"\\\\\")", "?%22%5C=1", "", true),
        ] as [(String, String, String, Bool)])
    func queriesAreComparedAsForms(value: String, one: String, other: String, areEqual: Bool) {
        #expect(areEquivalent(one, other, value) == areEqual)
    }

    @Test(arguments: [
        "https://example.com/b", "https://example.com:8/a", "http://example.com/a", "https://example.org/a",
    ])
    func onlyTheQueryMayDiffer(url: String) throws {
        #expect(try !#require(Self.read("params")).areEquivalent("https://example.com/a?b", url + "?c"))
    }

    // MARK: In the cache

    private func fields(_ value: String) -> [(String, String)] {
        [("Cache-Control", "max-age=60"), ("ETag", "\"1\""), ("No-Vary-Search", value)]
    }

    private func get(_ query: String, _ scene: CacheScene) async -> String {
        scene.text(await scene.send("GET", "https://example.com/a" + query))
    }

    @Test(arguments: [true, false]) func aResponseAnswersEquivalentQueries(isInFiles: Bool) async throws {
        let directory = try TestDirectory()
        func store() -> any CacheStore {
            isInFiles
                ? DiskCacheStore(at: directory.url.path, limit: 1 << 20, encryption: nil) { Issue.record($0) }
                : MemoryCacheStore(limit: 1 << 20)
        }
        let first = store()
        let wire = StubbedTransport(.response(200, fields("params=(\"utm\")"), "one"), .response(200, [], "two"))
        let scene = CacheScene(wire, store: first)
        _ = await get("?utm=1&b=2", scene)
        for query in ["?b=2", "?utm=3&b=2", "?b=2&utm"] { #expect(await get(query, scene) == "one") }
        #expect(await get("?b=3", scene) == "two")
        guard let files = first as? DiskCacheStore else { return }
        files.flush()
        let later = CacheScene(StubbedTransport(.response(200, [], "three")), store: store())
        #expect(await get("?b=2&utm=9", later) == "one")
    }

    @Test func aNewerResponseReplacesAnEquivalentOne() async {
        let scene = CacheScene(
            StubbedTransport(.response(200, fields("params"), "one"), .response(200, fields("params"), "two")))
        _ = await get("?a", scene)
        scene.advance(by: 61)
        _ = await get("?b", scene)
        #expect(await get("?a", scene) == "two")
        #expect(scene.cache.store.responses(for: "https://example.com/a").count == 1)
    }

    @Test func anEquivalentResponseIsValidated() async {
        let scene = CacheScene(
            StubbedTransport(.response(200, fields("params"), "one"), .response(304, fields("params"))))
        _ = await get("?a", scene)
        scene.advance(by: 61)
        #expect(await get("?b", scene) == "one")
        #expect(await get("?c", scene) == "one")
        #expect(scene.wire.requests.map { $0.fields.values(for: "if-none-match") } == [[], ["\"1\""]])
    }

    @Test func anUnsafeRequestInvalidatesEquivalentResponses() async {
        let scene = CacheScene(
            StubbedTransport(.response(200, fields("params"), "one"), .response(204), .response(200, [], "two")))
        _ = await get("?a", scene)
        await scene.send("POST", "https://example.com/a?b")
        #expect(await get("?a", scene) == "two")
    }

    /// 64 responses cost less than 16 times as much as one.
    @Test func aLookupReadsItsURLOnceForAllResponses() {
        func cost(_ count: Int) -> Double {
            let cache = HTTPCache.memory()
            let query = String(repeating: "a=1&", count: 1000)
            for number in 0..<count {
                cache.store.insert(
                    CachedResponse(
                        url: "https://example.com/a?\(query)\(number)", status: 200,
                        fields: [HTTPField](fields("key-order")),
                        requested: 1, received: 1, body: .memory(Data())))
            }
            let request = HTTPRequest(method: "GET", url: "https://example.com/a?\(query)")
            let seen = CacheRequest(request) { $0 }
            return processorTime { _ = cache.plan(for: seen, policy: .useProtocolCachePolicy) }
        }
        #expect(cost(64) < 16 * cost(1))
    }

    @Test func aStoredResponseOfOtherRulesIsAnotherVariant() {
        let store = MemoryCacheStore(limit: 1 << 20)
        for value in ["params=(\"x\")", "params=(\"y\")"] {
            store.insert(
                CachedResponse(
                    url: "https://example.com/a?b&\(value.contains("x") ? "x" : "y")", status: 200,
                    fields: [HTTPField](fields(value)), requested: 1, received: 1, body: .memory(Data())))
        }
        #expect(store.responses(for: "https://example.com/a").count == 2)
    }

    @Test func aPlainResponseIsNotForOtherQueries() async {
        let scene = CacheScene(
            StubbedTransport(
                .response(200, [("Cache-Control", "max-age=60")], "one"), .response(200, [], "two")))
        _ = await get("", scene)
        let other = await scene.send("GET", "https://example.com/a?b")
        #expect(scene.text(other) == "two")
        #expect(scene.status(other)?.forward == .uriMiss)
    }
}

extension NoVarySearch {
    /// `true` if two URLs have the same response.
    fileprivate func areEquivalent(_ one: String, _ other: String) -> Bool { form(of: one) == form(of: other) }
}
