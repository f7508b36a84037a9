import Foundation
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct CookieLimitsTests {
    private let now = Date(timeIntervalSince1970: 1_700_000_000)

    private func cookie(
        _ name: String, domain: String = "e.com", isSecure: Bool = false, expires: Date? = nil
    ) throws -> HTTPCookie {
        var properties: [HTTPCookiePropertyKey: Any] = [.name: name, .value: "", .domain: domain, .path: "/"]
        if isSecure { properties[.secure] = "TRUE" }
        properties[.expires] = expires
        return try #require(HTTPCookie(properties: properties))
    }

    /// The names of the removed cookies; lower numbers in names mean older cookies.
    private func excess(_ cookies: [HTTPCookie], site: Int, total: Int) -> Set<String> {
        let limits = CookieLimits(site: site, total: total)
        return Set(limits.excess(of: cookies, setBy: "e.com", at: now) { Double($0.name) ?? 0 }.map(\.name))
    }

    @Test func evictsNothingWithinTheLimits() throws {
        let cookies = try (0..<10).map { try cookie("\($0)") }
        #expect(excess(cookies, site: 10, total: 10).isEmpty)
    }

    @Test func evictsTheOldestFirstAndATenthMore() throws {
        let cookies = try (0..<21).map { try cookie("\($0)") }
        #expect(excess(cookies, site: 20, total: 100) == ["0", "1", "2"])
    }

    @Test func evictsNoMoreAtOnceThanAResponseSets() throws {
        let cookies = try (0..<1001).map { try cookie("\($0)") }
        #expect(excess(cookies, site: 1000, total: 2000).count == 51)
    }

    @Test func evictsSecureCookiesLast() throws {
        let cookies = try (0..<21).map { try cookie("\($0)", isSecure: $0 < 10) }
        #expect(excess(cookies, site: 20, total: 100) == ["10", "11", "12"])
    }

    @Test func alwaysEvictsExpiredCookies() throws {
        let cookies = [try cookie("1", expires: now), try cookie("2", expires: now + 1), try cookie("3")]
        #expect(excess(cookies, site: 10, total: 10) == ["1"])
    }

    @Test func aSiteIsCountedWithItsSubdomains() throws {
        let cookies = try (0..<21).map { try cookie("\($0)", domain: ["e.com", ".e.com", "a.e.com"][$0 % 3]) }
        #expect(excess(cookies + [try cookie("x", domain: "other.com")], site: 20, total: 100) == ["0", "1", "2"])
    }

    @Test func manySitesTogetherHaveALimitToo() throws {
        let cookies = try (0..<40).map { try cookie("\($0)", domain: "e\($0).com") }
        #expect(excess(cookies, site: 20, total: 30).count == 13)
    }

    @Test func theLimitOfASiteIsNotThatOfAnother() throws {
        let cookies = try (0..<40).map { try cookie("\($0)", domain: "other.com") }
        #expect(excess(cookies, site: 20, total: 100).isEmpty)
    }
}
