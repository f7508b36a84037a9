import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

/// Section 4.2 of RFC 9111.
@Suite struct CacheFreshnessTests {
    /// Thu, 01 Jan 1970 00:00:00 GMT and 1000 seconds.
    private let now = 1000.0

    private func freshness(_ fields: [(String, String)], status: Int = 200, delay: Double = 0) -> CacheFreshness {
        CacheFreshness(status: status, fields: [HTTPField](fields), requested: now - delay, received: now)
    }

    private func date(_ seconds: Double) -> String { Date(timeIntervalSince1970: seconds).httpText }

    @Test func maxAgeOverridesExpires() {
        #expect(freshness([("Expires", date(now + 9)), ("Cache-Control", "max-age=5")]).lifetime == 5)
    }

    @Test func expiresCountsFromTheDate() {
        #expect(freshness([("Expires", date(now + 9)), ("Date", date(now - 1))]).lifetime == 10)
    }

    @Test(arguments: [
        "0", "-1", "yesterday", "Thu, 99 Jan 1970 00:00:00 GMT", "Thu, 18 Aug 2050 02:01:18 UTC",
        "Thu, 18-Aug-2050 02:01:18 GMT",
    ])
    func anExpiresThatIsNoDateIsInThePast(value: String) { #expect(freshness([("Expires", value)]).lifetime == 0) }

    @Test func severalExpiresAreInThePast() {
        #expect(freshness([("Expires", date(now + 9)), ("Expires", date(now + 9))]).lifetime == 0)
    }

    @Test func heuristicFreshnessIsATenthOfTheTimeSinceTheLastChange() {
        #expect(freshness([("Last-Modified", date(now - 100)), ("Date", date(now))]).lifetime == 10)
    }

    @Test func heuristicFreshnessIsAtMostAWeek() {
        let fields = [("Last-Modified", date(-100 * 365 * 86400)), ("Date", date(now))]
        #expect(freshness(fields).lifetime == 7 * 86400)
    }

    @Test func heuristicFreshnessNeedsAStatusThatAllowsIt() {
        #expect(freshness([("Last-Modified", date(now - 100))], status: 403).lifetime == 0)
    }

    @Test(
        arguments: [
            ("7200", 7200.0), ("7200, 0", 7200), ("0, 7200", 0), ("-5", 0), ("1.5", 0), ("old", 0),
            ("99999999999", 2_147_483_648),
        ])
    func theFirstNumberOfAnAgeCounts(value: String, age: Double) {
        #expect(freshness([("Age", value)]).initialAge == age)
    }

    @Test func theFirstOfSeveralAgesCounts() {
        #expect(freshness([("Age", "7"), ("Age", "9")]).initialAge == 7)
    }

    @Test func theDelayOfTheResponseIsAge() { #expect(freshness([("Age", "7")], delay: 3).initialAge == 10) }

    @Test func theDateShowsTheAge() { #expect(freshness([("Date", date(now - 50))]).initialAge == 50) }

    @Test func ageGrowsWithTheTimeInTheStore() {
        #expect(freshness([("Age", "7")]).age(at: now + 5) == 12)
    }

    @Test func aClockThatWasSetBackMakesNothingFresh() {
        #expect(freshness([("Cache-Control", "max-age=10")]).timeToLive(at: now - 86400) < 0)
    }

    @Test func aClockThatWasSetBackByASecondMakesNothingYounger() {
        #expect(freshness([("Age", "7")]).age(at: now - 1) == 7)
    }

    @Test(arguments: ["no-cache", "max-age=10, no-cache", "No-Cache, max-age=10"])
    func noCacheIsValidatedAlways(value: String) { #expect(freshness([("Cache-Control", value)]).validatesAlways) }

    @Test func noCacheOfAFieldIsNotAboutTheResponse() {
        #expect(!freshness([("Cache-Control", "max-age=10, no-cache=\"a\"")]).validatesAlways)
    }

    @Test(arguments: ["must-revalidate", "no-cache"])
    func errorsAndValidationsUseNoResponseThatForbidsIt(directive: String) {
        let freshness = freshness([
            ("Cache-Control", "max-age=1, \(directive), stale-if-error=100, stale-while-revalidate=100")
        ])
        #expect(!freshness.mayReplaceError(at: now + 5, allowance: 100))
        #expect(!freshness.mayBeUsedWhileValidated(at: now + 5))
    }

    @Test func theServersStaleIfErrorOverridesTheApps() {
        let freshness = freshness([("Cache-Control", "max-age=1, stale-if-error=2")])
        #expect(freshness.mayReplaceError(at: now + 3, allowance: nil))
        #expect(!freshness.mayReplaceError(at: now + 4, allowance: 100))
    }

    @Test(
        arguments: [
            "max-age=", "max-age=9223372036854775807", "max-age=-1", "stale-if-error=x", "=", "\"", "no-cache=\"",
            ",,,",
            "max-age=\"9\", max-age=3", String(repeating: "a=b,", count: 10_000),
        ])
    func anInvalidNumberDoesNotTrap(value: String) {
        let freshness = freshness([("Cache-Control", value), ("Date", value), ("Expires", value), ("Age", value)])
        #expect(freshness.timeToLive(at: .greatestFiniteMagnitude).wholeSeconds <= 0)
        _ = freshness.timeToLive(at: -.greatestFiniteMagnitude).wholeSeconds
    }
}
