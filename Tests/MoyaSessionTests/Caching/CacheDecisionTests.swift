import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct CacheDecisionTests {
    private typealias Sample = CacheSample

    private let fresh = Sample.stored(["Cache-Control": "max-age=60", "ETag": "\"x\""])
    private let stale = Sample.stored(["Cache-Control": "max-age=1", "ETag": "\"x\""])
    private let staleForGood = Sample.stored(["Cache-Control": "max-age=1"])

    /// The decision in a word, ten seconds after the response came.
    private func word(
        _ policy: URLRequest.CachePolicy, _ stored: StoredResponse?, _ request: HTTPRequest = Sample.request()
    ) -> String {
        switch HTTPCacheRules.decide(on: request, policy: policy, stored: stored, at: Sample.now + 10) {
        case .use: "use"
        case .validate(_, let fields): "validate " + fields.map(\.name).joined(separator: " ")
        case .load(let fields): (["load"] + fields.map(\.name)).joined(separator: " ")
        case .refuse: "refuse"
        }
    }

    @Test func protocolPolicyUsesFreshAndValidatesStaleResponses() {
        #expect(word(.useProtocolCachePolicy, fresh) == "use")
        #expect(word(.useProtocolCachePolicy, stale) == "validate If-None-Match")
        #expect(word(.useProtocolCachePolicy, staleForGood) == "load")
        #expect(word(.useProtocolCachePolicy, nil) == "load")
    }

    @Test func ignoringTheCacheAlwaysLoads() {
        #expect(word(.reloadIgnoringLocalCacheData, fresh) == "load")
        #expect(word(.reloadIgnoringLocalAndRemoteCacheData, fresh) == "load Cache-Control Pragma")
        let own = Sample.request(["Cache-Control": "max-age=5"])
        #expect(word(.reloadIgnoringLocalAndRemoteCacheData, fresh, own) == "load")
    }

    @Test func returningCachedDataDoesNotMindItsAge() {
        #expect(word(.returnCacheDataElseLoad, staleForGood) == "use")
        #expect(word(.returnCacheDataElseLoad, nil) == "load")
        #expect(word(.returnCacheDataDontLoad, staleForGood) == "use")
        #expect(word(.returnCacheDataDontLoad, nil) == "refuse")
    }

    @Test func revalidatingValidatesFreshResponsesToo() {
        #expect(word(.reloadRevalidatingCacheData, fresh) == "validate If-None-Match")
        #expect(word(.reloadRevalidatingCacheData, staleForGood) == "load")
    }

    @Test func aResponseForOtherFieldsIsNotThere() {
        let other = Sample.stored(
            ["Cache-Control": "max-age=60", "Vary": "Accept"], for: Sample.request(["Accept": "a/b"]))
        #expect(word(.useProtocolCachePolicy, other) == "load")
        #expect(word(.returnCacheDataDontLoad, other) == "refuse")
    }

    @Test func aRequestMayWantTheCacheAlone() {
        let request = Sample.request(["Cache-Control": "only-if-cached"])
        #expect(word(.useProtocolCachePolicy, fresh, request) == "use")
        #expect(word(.useProtocolCachePolicy, stale, request) == "refuse")
    }

    @Test func usedResponseHasAnAge() throws {
        let stored = Sample.stored(["Cache-Control": "max-age=60", "age": "5"])
        let decision = HTTPCacheRules.decide(
            on: Sample.request(), policy: .useProtocolCachePolicy, stored: stored, at: Sample.now + 10)
        guard case .use(let used) = decision else {
            Issue.record("not used")
            return
        }
        #expect(used.head.values(for: "age") == ["15"])
    }

    @Test(arguments: ["Range", "If-None-Match", "if-modified-since", "If-Range"])
    func requestWithAConditionBypassesTheCache(name: String) {
        #expect(!HTTPCacheRules.isCacheable(Sample.request([name: "x"])))
        #expect(HTTPCacheRules.isCacheable(Sample.request(["Accept": "x"])))
    }
}
