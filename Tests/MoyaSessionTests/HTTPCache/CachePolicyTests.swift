import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The directives and the policy of a request, against those of a stored response.
@Suite struct CachePolicyTests {
    private let answers: [StubbedTransport.Answer] = [.response(200, [], "two")]

    private func scene(_ control: String, tag: String? = "\"1\"") -> CacheScene {
        let fields = [("Cache-Control", control)] + (tag.map { [("ETag", $0)] } ?? [])
        return CacheScene(StubbedTransport([.response(200, fields, "one")] + answers))
    }

    @Test(arguments: [
        ("max-age=60", "", 59.0, true), ("max-age=60", "", 60, false), ("max-age=60, no-cache", "", 0, false),
        ("max-age=60", "no-cache", 0, false), ("max-age=60", "max-age=0", 0, false),
        ("max-age=60", "max-age=10", 9, true), ("max-age=60", "max-age=10", 10, false),
        ("max-age=60, immutable", "max-age=0", 59, true), ("max-age=60", "min-fresh=20", 39, true),
        ("max-age=60", "min-fresh=20", 40, false), ("max-age=60", "max-stale", 9999, true),
        ("max-age=60", "max-stale=10", 70, true), ("max-age=60", "max-stale=10", 71, false),
        ("max-age=600", "max-age=60, max-stale=10", 70, true), ("max-age=600", "max-age=60, max-stale=10", 71, false),
        ("max-age=60, must-revalidate", "max-stale", 61, false), ("max-age=60", "max-stale, min-fresh=1", 61, false),
    ])
    func freshnessFollowsBothSides(response: String, request: String, age: Double, isUsed: Bool) async {
        let scene = scene(response)
        await scene.send()
        scene.advance(by: age)
        #expect(await scene.get(request.isEmpty ? [] : [("Cache-Control", request)]) == (isUsed ? "one" : "two"))
    }

    @Test func reloadingRequestsTheResourceUnconditionally() async {
        let scene = scene("max-age=60")
        await scene.send()
        await scene.send(policy: .reloadIgnoringLocalCacheData)
        #expect(scene.wire.requests[1].fields.allSatisfy { !$0.name.hasPrefix("If-") && $0.name != "Cache-Control" })
    }

    @Test func reloadingPastCachesSendsDirectivesToThem() async {
        let scene = scene("max-age=60")
        await scene.send(policy: .reloadIgnoringLocalAndRemoteCacheData)
        #expect(scene.wire.requests[0].fields.values(for: "cache-control") == ["no-cache"])
        #expect(scene.wire.requests[0].fields.values(for: "pragma") == ["no-cache"])
    }

    @Test func reloadingPastCachesLeavesTheRequestsOwnDirectives() async {
        let scene = scene("max-age=60")
        await scene.send(
            "GET", "https://example.com/a", [("Cache-Control", "max-age=5")],
            policy: .reloadIgnoringLocalAndRemoteCacheData)
        #expect(scene.wire.requests[0].fields.values(for: "cache-control") == ["max-age=5"])
    }

    @Test(arguments: [
        URLRequest.CachePolicy.returnCacheDataElseLoad, .returnCacheDataDontLoad,
    ])
    func storedDataIsReturnedAtAnyAge(policy: URLRequest.CachePolicy) async {
        let scene = scene("max-age=1, must-revalidate")
        await scene.send()
        scene.advance(by: 1e6)
        #expect(scene.text(await scene.send(policy: policy)) == "one")
    }

    @Test(arguments: ["\"1\"", nil]) func revalidatingValidatesFreshResponsesToo(tag: String?) async {
        let scene = scene("max-age=60", tag: tag)
        await scene.send()
        await scene.send(policy: .reloadRevalidatingCacheData)
        #expect(scene.wire.requests[1].fields.values(for: "if-none-match") == (tag.map { [$0] } ?? []))
    }

    @Test func aMalformedValidatorIsNotSent() {
        let stored = CachedResponse(
            url: "https://example.com/a", status: 200, fields: [HTTPField(name: "ETag", value: "\"x\"\r\nX-Evil: 1")],
            requested: 0, received: 0, body: .memory(Data()))
        #expect(CacheRules.conditions(for: stored).isEmpty)
    }
}
