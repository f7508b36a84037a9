import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

/// Sections 3 and 4 of RFC 9111, a sentence a test.
@Suite struct CacheRulesTests {
    private func mayStore(
        _ fields: [(String, String)] = [], status: Int = 200, request: CacheRequest = .of()
    ) -> Bool {
        CacheRules.mayStore(status: status, [HTTPField](fields), for: request)
    }

    // MARK: Section 3

    @Test func storesOnlyMethodsThatItUnderstands() {
        #expect(!mayStore([("Cache-Control", "max-age=60")], request: .of("POST")))
        #expect(!mayStore([("Cache-Control", "max-age=60")], request: .of("HEAD")))
    }

    @Test func storesOnlyFinalStatuses() { #expect(!mayStore(status: 103)) }

    @Test func a304IsNotStored() { #expect(!mayStore([("Cache-Control", "max-age=60")], status: 304)) }

    @Test func noStoreOfTheResponseForbidsStoring() { #expect(!mayStore([("Cache-Control", "max-age=60, No-Store")])) }

    @Test func noStoreOfTheRequestForbidsStoring() {
        #expect(!mayStore(request: .of("GET", [("Cache-Control", "no-store")])))
    }

    @Test func mustUnderstandAllowsAStatusThatIsKnown() {
        #expect(mayStore([("Cache-Control", "max-age=60, no-store, must-understand")]))
    }

    @Test func mustUnderstandForbidsAStatusThatIsUnknown() {
        #expect(!mayStore([("Cache-Control", "max-age=60, no-store, must-understand")], status: 599))
    }

    @Test(arguments: [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501])
    func storesAHeuristicallyCacheableStatus(status: Int) { #expect(mayStore(status: status)) }

    @Test(arguments: [201, 202, 302, 403, 500, 503])
    func storesAnotherStatusOnlyWithExplicitFreshness(status: Int) {
        #expect(!mayStore(status: status))
        #expect(mayStore([("Cache-Control", "max-age=60")], status: status))
        #expect(mayStore([("Expires", "0")], status: status))
        #expect(mayStore([("Cache-Control", "public")], status: status))
    }

    @Test func a206WithNoReadableRangeIsNotStored() {
        let request = CacheRequest.of("GET", [("Range", "bytes=0-1")])
        #expect(!mayStore([("Content-Range", "bytes 0-1/*")], status: 206, request: request))
        #expect(mayStore([("Content-Range", "bytes 0-1/9")], status: 206, request: request))
    }

    @Test func anUnsolicited206IsNotStored() {
        #expect(!mayStore([("Content-Range", "bytes 0-1/9")], status: 206))
    }

    @Test func fieldsOfOneConnectionAreNotStored() {
        let fields = CacheRules.storedFields([
            HTTPField(name: "Connection", value: "a, B"), HTTPField(name: "A", value: "1"),
            HTTPField(name: "b", value: "2"), HTTPField(name: "c", value: "3"), HTTPField(name: "TE", value: "4"),
            HTTPField(name: "Proxy-Authenticate", value: "5"),
        ])
        #expect(fields.map(\.name) == ["c"])
    }

    @Test func fieldsThatNoCacheNamesAreNotStored() {
        let fields = CacheRules.storedFields([
            HTTPField(name: "Cache-Control", value: "max-age=60, no-cache=\"a, b\""), HTTPField(name: "A", value: "1"),
            HTTPField(name: "b", value: "2"), HTTPField(name: "c", value: "3"),
        ])
        #expect(fields.map(\.name) == ["Cache-Control", "c"])
    }

    @Test func cookiesAreNotStored() {
        #expect(CacheRules.storedFields([HTTPField(name: "Set-Cookie", value: "a=b")]).isEmpty)
    }

    // MARK: Section 4.1

    @Test func aVaryOfEverythingIsNotStored() {
        #expect(!mayStore([("Vary", ", *")]))
        #expect(!mayStore([("Vary", "a"), ("Vary", "*")]))
    }

    @Test func whiteSpaceAndLinesDoNotDistinguishVariants() {
        let one = CacheRules.variantValue(of: "foo", in: [HTTPField(name: "Foo", value: "1 ,  2")]) { $0 }
        let lines = [HTTPField(name: "foo", value: "1"), HTTPField(name: "FOO", value: "2")]
        #expect(one == CacheRules.variantValue(of: "foo", in: lines) { $0 })
    }

    @Test func orderDistinguishesVariantsOfAnUnknownField() {
        let one = CacheRules.variantValue(of: "foo", in: [HTTPField(name: "Foo", value: "1,2")]) { $0 }
        #expect(one != CacheRules.variantValue(of: "foo", in: [HTTPField(name: "Foo", value: "2,1")]) { $0 })
    }

    @Test(arguments: [
        ("accept-language", "en;q=0.5, De", "de,eN;q=0.5"), ("accept", "a/b;q=0.1, c/*;q=0.2", "C/*;q=0.2,a/b;q=0.1"),
        ("accept-encoding", "gzip, br", "BR,gzip"),
    ])
    func orderAndCaseDoNotDistinguishWeightedPreferences(name: String, first: String, second: String) {
        let values = [first, second].map { value in
            CacheRules.variantValue(of: name, in: [HTTPField(name: name, value: value)]) { $0 }
        }
        #expect(values[0] == values[1])
    }

    /// RFC 9110 section 12.5.4.
    @Test(
        arguments: ["accept", "accept-language"],
        [("", ""), (";q=0.5", ";q=0.5"), (";q=1.0", ""), (";seq=1", ";seq=2")])
    func orderDistinguishesPreferencesOfEqualWeight(name: String, weights: (String, String)) {
        let values = ["de\(weights.0),en\(weights.1)", "en\(weights.1),de\(weights.0)"].map { value in
            CacheRules.variantValue(of: name, in: [HTTPField(name: name, value: value)]) { $0 }
        }
        #expect(values[0] != values[1])
    }

    @Test(arguments: [
        ("accept-profile", "Tenant", "tenant"), ("accept", "a/b;profile=\"A\"", "a/b;profile=\"a\""),
    ])
    func caseCountsWhereItMayHaveAMeaning(name: String, first: String, second: String) {
        let values = [first, second].map { value in
            CacheRules.variantValue(of: name, in: [HTTPField(name: name, value: value)]) { $0 }
        }
        #expect(values[0] != values[1])
    }

    @Test func anAbsentFieldIsNotAnEmptyOne() {
        let empty = CacheRules.variantValue(of: "foo", in: [HTTPField(name: "foo", value: "")]) { $0 }
        #expect(empty != CacheRules.variantValue(of: "foo", in: []) { $0 })
    }

    @Test func aSecretThatVariesIsAFingerprint() {
        let fields = [HTTPField(name: "Cookie", value: "secret")]
        #expect(!CacheRules.variantValue(of: "cookie", in: fields) { _ in "print" }.contains("secret"))
    }

    // MARK: Section 3.2 and 4.3.4

    @Test func a304ReplacesFieldsOfTheSameNameAndKeepsTheOthers() {
        let fields = CacheRules.freshened(
            [HTTPField(name: "A", value: "1"), HTTPField(name: "B", value: "1")], by: [HTTPField(name: "a", value: "2")]
        )
        #expect(fields == [HTTPField(name: "B", value: "1"), HTTPField(name: "a", value: "2")])
    }

    @Test func a304DoesNotReplaceTheLength() {
        let stored = [HTTPField(name: "Content-Length", value: "5")]
        #expect(CacheRules.freshened(stored, by: [HTTPField(name: "Content-Length", value: "0")]) == stored)
    }

    // MARK: Section 4.4

    @Test(arguments: ["POST", "PUT", "DELETE", "PATCH", "M-SEARCH"])
    func anUnsafeMethodInvalidates(method: String) {
        #expect(CacheRules.invalidates(status: 200, method: method))
        #expect(CacheRules.invalidates(status: 303, method: method))
        #expect(!CacheRules.invalidates(status: 404, method: method))
    }

    @Test(arguments: ["GET", "HEAD", "OPTIONS", "QUERY", "TRACE"]) func aSafeMethodInvalidatesNothing(method: String) {
        #expect(!CacheRules.invalidates(status: 200, method: method))
    }

    @Test func invalidatesLocationsOfTheSameOriginOnly() {
        let fields = [
            HTTPField(name: "Location", value: "/b#c"),
            HTTPField(name: "Content-Location", value: "https://other.example/"),
        ]
        #expect(
            CacheRules.invalidatedURLs(fields, after: "https://example.com/a")
                == ["https://example.com/a", "https://example.com/b"])
    }

    @Test(arguments: ["https://a.example:8/b/c", "https://a.example:8?d", "https://a.example:8"])
    func anOriginEndsBeforeThePath(url: String) { #expect(CacheRules.origin(of: url) == "https://a.example:8") }
}
