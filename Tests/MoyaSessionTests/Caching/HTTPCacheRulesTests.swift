import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Requests and responses in one line each.
enum CacheSample {
    static let now = Date(timeIntervalSince1970: 1_700_000_000)

    static func request(_ fields: [String: String] = [:], method: String = "GET") -> HTTPRequest {
        HTTPRequest(
            method: method, url: "http://e.com/a", fields: fields.map { HTTPField(name: $0.key, value: $0.value) })
    }

    static func head(_ fields: [String: String] = [:], status: Int = 200) -> TransportResponseHead {
        TransportResponseHead(status: status, fields: fields.map { HTTPField(name: $0.key, value: $0.value) })
    }

    static func date(_ seconds: TimeInterval) -> String { HTTPDate.string(from: now + seconds) }

    /// A response that arrived just now.
    static func stored(
        _ fields: [String: String], status: Int = 200, for request: HTTPRequest = request(),
        took delay: TimeInterval = 0
    ) -> StoredResponse {
        HTTPCacheRules.stored(
            head(fields, status: status), Data("body".utf8), for: request, at: .sure("http://e.com/a"),
            requested: now - delay, received: now)
    }
}

@Suite struct HTTPCacheRulesTests {
    private typealias Sample = CacheSample

    // MARK: Storing

    @Test(
        arguments: [
            (200, [:]), (203, [:]), (301, [:]), (200, ["Cache-Control": "no-cache"]),
            (200, ["Cache-Control": "private"]),
            (404, ["Cache-Control": "max-age=5"]), (302, ["Expires": "0"]), (200, ["Vary": "Accept"]),
        ] as [(Int, [String: String])])
    func aPrivateCacheMayKeep(status: Int, fields: [String: String]) {
        #expect(HTTPCacheRules.mayStore(Sample.head(fields, status: status), for: Sample.request()))
    }

    @Test(
        arguments: [
            (200, ["Cache-Control": "no-store"]), (200, ["Cache-Control": "max-age=60, No-Store"]),
            (200, ["Vary": "*"]),
            (200, ["Vary": "Accept, *"]), (206, ["Cache-Control": "max-age=60"]),
            (304, ["Cache-Control": "max-age=60"]),
            (404, [:]), (500, [:]), (302, [:]), (103, ["Cache-Control": "max-age=60"]),
        ] as [(Int, [String: String])])
    func refusesUnstorableResponses(status: Int, fields: [String: String]) {
        #expect(!HTTPCacheRules.mayStore(Sample.head(fields, status: status), for: Sample.request()))
    }

    @Test func onlyAWholeGETIsKept() {
        let head = Sample.head(["Cache-Control": "max-age=60"])
        #expect(!HTTPCacheRules.mayStore(head, for: Sample.request(method: "POST")))
        #expect(!HTTPCacheRules.mayStore(head, for: Sample.request(method: "HEAD")))
        #expect(!HTTPCacheRules.mayStore(head, for: Sample.request(["Range": "bytes=0-"])))
        #expect(!HTTPCacheRules.mayStore(head, for: Sample.request(["Cache-Control": "no-store"])))
        #expect(HTTPCacheRules.mayStore(head, for: Sample.request(["Authorization": "Bearer x"])))
    }

    @Test func cookiesAndFieldsOfTheConnectionAreNotKept() {
        let stored = Sample.stored(["Set-Cookie": "a=b", "Connection": "close", "ETag": "\"x\""])
        #expect(stored.head.fields.map(\.name) == ["ETag"])
    }

    // MARK: Freshness

    @Test(
        arguments: [
            (["Cache-Control": "max-age=60"], 60.0),
            (["Cache-Control": "max-age=60", "Expires": "Thu, 01 Jan 1970 00:00:00 GMT"], 60),
            (["Date": Sample.date(0), "Expires": Sample.date(30)], 30),
            (["Expires": Sample.date(30)], 30),
            (["Date": Sample.date(0), "Expires": Sample.date(-30)], 0),
            (["Expires": "0"], 0), (["Expires": "-1"], 0), (["Expires": ""], 0),
            (["Date": Sample.date(0), "Last-Modified": Sample.date(-1000)], 100),
            (["Last-Modified": Sample.date(-1000)], 100),
            (["Date": Sample.date(0), "Last-Modified": Sample.date(1000)], 0),
            (["Last-Modified": Sample.date(-400 * 86400)], 7 * 86400),
            (["Cache-Control": "max-age=0", "Last-Modified": Sample.date(-1000)], 0),
            ([:], 0),
        ] as [([String: String], TimeInterval)])
    func theLifetimeIsFound(fields: [String: String], seconds: TimeInterval) {
        #expect(HTTPCacheRules.lifetime(of: Sample.stored(fields)) == seconds)
    }

    @Test func aStatusThatIsNotUsuallyKeptIsNotGuessedAbout() {
        #expect(HTTPCacheRules.lifetime(of: Sample.stored(["Last-Modified": Sample.date(-1000)], status: 404)) == 0)
    }

    @Test(
        arguments: [
            ([:], 0.0, 10.0), (["Age": "5"], 0, 15), (["Age": "5"], 3, 18), (["Date": Sample.date(-20)], 0, 30),
            (["Date": Sample.date(-20), "Age": "5"], 3, 30), (["Date": Sample.date(20)], 0, 10), (["Age": "x"], 0, 10),
        ] as [([String: String], TimeInterval, TimeInterval)])
    func theAgeCountsFromTheServer(fields: [String: String], delay: TimeInterval, seconds: TimeInterval) {
        let stored = Sample.stored(fields, took: delay)
        #expect(HTTPCacheRules.age(of: stored, at: Sample.now + 10) == seconds)
    }

    @Test func aClockThatWasSetBackMakesNothingYounger() {
        #expect(HTTPCacheRules.age(of: Sample.stored(["Age": "5"]), at: Sample.now - 1000) == 5)
    }

    @Test func responseWithoutATimeIsStale() {
        let found = StoredResponse(url: .sure("http://e.com/a"), head: Sample.head(), body: Data())
        #expect(HTTPCacheRules.age(of: found, at: Sample.now) == .infinity)
    }

    @Test(arguments: [
        ("max-age=60", "", 59.0, true), ("max-age=60", "", 60, false), ("max-age=60, no-cache", "", 0, false),
        ("max-age=60", "no-cache", 0, false), ("max-age=60", "max-age=0", 0, false),
        ("max-age=60", "max-age=10", 9, true),
        ("max-age=60", "max-age=10", 10, false), ("max-age=60", "min-fresh=20", 39, true),
        ("max-age=60", "min-fresh=20", 40, false), ("max-age=60", "max-stale", 9999, true),
        ("max-age=60", "max-stale=10", 70, true), ("max-age=60", "max-stale=10", 71, false),
        ("max-age=60, must-revalidate", "max-stale", 61, false),
    ])
    func freshnessFollowsBothSides(response: String, request: String, age: TimeInterval, isFresh: Bool) {
        let fields = request.isEmpty ? [:] : ["Cache-Control": request]
        let stored = Sample.stored(["Cache-Control": response])
        #expect(
            HTTPCacheRules.isFresh(stored, for: Sample.request(fields), at: Sample.now + age) == isFresh)
    }

    @Test func aResponseForOneCredentialIsNotFreshForAnother() {
        let stored = Sample.stored(
            ["Cache-Control": "max-age=60"], for: Sample.request(["Authorization": "Bearer one"]))
        #expect(HTTPCacheRules.isFresh(stored, for: Sample.request(["authorization": "Bearer one"]), at: Sample.now))
        #expect(!HTTPCacheRules.isFresh(stored, for: Sample.request(["authorization": "Bearer two"]), at: Sample.now))
        #expect(!HTTPCacheRules.isFresh(stored, for: Sample.request(), at: Sample.now))
    }

    // MARK: Variants

    @Test func aResponseThatVariesMatchesTheSameFieldsOnly() {
        let stored = Sample.stored(
            ["Vary": "Accept-Language, X-None"], for: Sample.request(["accept-language": "de", "Accept": "text/html"]))
        #expect(HTTPCacheRules.matches(stored, Sample.request(["Accept-Language": " de "])))
        #expect(!HTTPCacheRules.matches(stored, Sample.request(["Accept-Language": "en"])))
        #expect(!HTTPCacheRules.matches(stored, Sample.request()))
        #expect(!HTTPCacheRules.matches(stored, Sample.request(["Accept-Language": "de", "X-None": "1"])))
    }

    @Test func aSecretThatAResponseVariesByIsNotWrittenDown() {
        let request = Sample.request(["Cookie": "session=hunter2"])
        let stored = Sample.stored(["Vary": "Cookie"], for: request)
        #expect(!String(describing: stored.notes).contains("hunter2"))
        #expect(HTTPCacheRules.matches(stored, request))
        #expect(!HTTPCacheRules.matches(stored, Sample.request(["Cookie": "session=other"])))
    }

    // MARK: Validation

    @Test func sendsBothValidators() {
        let fields = HTTPCacheRules.conditions(
            for: Sample.stored(["ETag": "W/\"x\"", "Last-Modified": Sample.date(-10)]))
        #expect(
            fields == [
                HTTPField(name: "If-None-Match", value: "W/\"x\""),
                HTTPField(name: "If-Modified-Since", value: Sample.date(-10)),
            ])
    }

    @Test func malformedValidatorIsNotSent() {
        #expect(HTTPCacheRules.conditions(for: Sample.stored(["ETag": "\"x\"\r\nX-Evil: 1"])).isEmpty)
        #expect(HTTPCacheRules.conditions(for: Sample.stored([:])).isEmpty)
    }

    @Test func a304ReplacesFieldsAndKeepsTheBody() {
        let old = Sample.stored(["Cache-Control": "max-age=5", "X-Old": "1", "Age": "3", "Content-Type": "text/plain"])
        let fresh = HTTPCacheRules.freshened(
            old,
            by: Sample.head(
                ["cache-control": "max-age=60", "Content-Length": "0", "Content-Type": "x/y"], status: 304),
            for: Sample.request(), requested: Sample.now + 9, received: Sample.now + 10)
        #expect(fresh.head.status == 200)
        #expect(fresh.body == Data("body".utf8))
        #expect(fresh.head.value(for: "cache-control") == "max-age=60")
        #expect(fresh.head.value(for: "x-old") == "1")
        #expect(fresh.head.value(for: "content-type") == "text/plain")
        #expect(fresh.head.value(for: "content-length") == nil)
        #expect(HTTPCacheRules.age(of: fresh, at: Sample.now + 10) == 1)
    }

    // MARK: Invalidation

    @Test(arguments: [
        ("POST", 200, true), ("DELETE", 204, true), ("PUT", 303, true), ("PATCH", 404, false), ("POST", 500, false),
        ("GET", 200, false), ("HEAD", 200, false),
    ])
    func aChangeThatWorkedInvalidates(method: String, status: Int, invalidates: Bool) {
        let request = Sample.request(method: method)
        #expect(HTTPCacheRules.invalidates(Sample.head(status: status), after: request) == invalidates)
    }

    @Test func invalidatesNamedURLsOfTheSameOrigin() {
        let head = Sample.head(["Location": "/b", "Content-Location": "http://other.com/c"])
        let urls = HTTPCacheRules.invalidatedURLs(head, after: .sure("http://e.com/a"))
        #expect(urls.map(\.absoluteString) == ["http://e.com/a", "http://e.com/b"])
    }
}
