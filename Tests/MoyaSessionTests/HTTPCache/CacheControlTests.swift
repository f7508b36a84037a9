import MoyaTransport
import Testing

@testable import MoyaSession

@Suite struct CacheControlTests {
    @Test func directivesAreReadInAnyCaseAndSpacing() {
        let control = CacheControl(["  No-Store ,MAX-AGE = 60,, must-revalidate", "private=\"set-cookie, x\", public"])
        #expect(control.noStore && control.mustRevalidate && control.isPrivate && control.isPublic)
        #expect(control.maxAge == 60)
        #expect(!control.noCache)
    }

    @Test(arguments: [
        ("max-age=60, max-age=0", 60.0), ("max-age=\"60\"", 60), ("max-age=99999999999999999999", 2_147_483_648),
    ])
    func theFirstOfContradictoryAgesApplies(value: String, seconds: Double) {
        #expect(CacheControl([value]).maxAge == seconds)
    }

    @Test(arguments: ["max-age", "max-age=", "max-age=-1", "max-age=1.5", "max-age=x", "max-age=\"60"])
    func anAgeThatIsNoNumberIsNotTrusted(value: String) {
        let age = CacheControl([value]).maxAge
        #expect(age == 0 || value == "max-age=\"60")
    }

    @Test(arguments: ["", ",", "=", "=,=", "\"", "no-cachex", "x=\"no-store, no-cache\"", "x no-store"])
    func ignoresMalformedDirectives(value: String) {
        #expect(CacheControl([value]) == CacheControl([]))
    }

    @Test func staleResponsesMayBeAcceptedForAWhileOrForever() {
        #expect(CacheControl(["max-stale"]).maxStale == .infinity)
        #expect(CacheControl(["max-stale=5, min-fresh=7"]).maxStale == 5)
        #expect(CacheControl(["max-stale=5, min-fresh=7"]).minFresh == 7)
    }

    @Test func anEscapedQuoteDoesNotEndAnArgument() {
        #expect(CacheControl(["x=\"a\\\", max-age=9\", min-fresh=2"]).maxAge == nil)
        #expect(CacheControl(["x=\"a\\\", max-age=9\", min-fresh=2"]).minFresh == 2)
    }

    @Test(arguments: [("No-Cache", true), ("x, NO-CACHE", true), ("x-no-cache-y", false), ("x=\"no-cache\"", false)])
    func pragmaIsADirectiveInAnyCase(value: String, forbids: Bool) {
        #expect(CacheControl(request: [HTTPField(name: "Pragma", value: value)]).noCache == forbids)
    }

    @Test func pragmaIsUsedWithoutCacheControl() {
        let pragma = HTTPField(name: "Pragma", value: "no-cache")
        #expect(CacheControl(request: [pragma]).noCache)
        #expect(!CacheControl(request: [pragma, HTTPField(name: "cache-control", value: "max-age=5")]).noCache)
    }
}
