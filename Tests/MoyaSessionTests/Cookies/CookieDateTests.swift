import Foundation
import MoyaTesting
import Testing

@testable import MoyaSession

@Suite struct CookieDateTests {
    /// 6 November 1994, 08:49:37 UTC.
    private let moment = Date(timeIntervalSince1970: 784_111_777)

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
        "Sun, 06-Nov-1994 08:49:37 GMT",
        "6 November 1994 8:49:37",
        "1994 Nov 08:49:37 06",
        "nov/06/94;08:49:37",
        "08:49:37 6 nov 94",
        "08:49:37 06 NOVEMBER 1994 and 1 Jan 1970 00:00:00",
        "06th nov 1994AD 08:49:37.999",
        "Mon, 06 Nov 1994 08:49:37 +0200",
    ])
    func aDateIsFoundInAnyOrder(text: String) {
        #expect(CookieDate.date(from: text) == moment)
    }

    @Test(arguments: [("69", 2069), ("70", 1970), ("99", 1999), ("00", 2000), ("1601", 1601), ("9999", 9999)])
    func aYearOfTwoDigitsIsBetween1970And2069(year: String, expected: Int) throws {
        let date = try #require(CookieDate.date(from: "1 Jan \(year) 00:00:00"))
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        #expect(calendar.component(.year, from: date) == expected)
    }

    @Test func theLeapDayIsAcceptedInLeapYears() {
        #expect(CookieDate.date(from: "29 Feb 2024 00:00:00") != nil)
        #expect(CookieDate.date(from: "29 Feb 2000 00:00:00") != nil)
    }

    @Test(arguments: [
        "", " ", "0", "tomorrow",
        "06 Nov 1994", "06 Nov 08:49:37", "06 1994 08:49:37", "Nov 1994 08:49:37",
        "06 Nov 1994 08:49", "06 Nov 1994 24:00:00", "06 Nov 1994 08:60:00", "06 Nov 1994 08:49:60",
        "06 Nov 1994 008:49:37", "06 Nov 1994 08:49:370",
        "00 Nov 1994 08:49:37", "31 Nov 1994 08:49:37", "32 Dec 1994 08:49:37", "006 Nov 1994 08:49:37",
        "29 Feb 2023 00:00:00", "29 Feb 1900 00:00:00", "06 Nov 1600 08:49:37", "06 Nov 19945 08:49:37",
        "06 Nox 1994 08:49:37", "06 Nov 199 08:49:37",
    ])
    func refusesMalformedDates(text: String) {
        #expect(CookieDate.date(from: text) == nil)
    }

    @Test func anyTextIsParsedSafely() {
        var random = SeededGenerator(seed: 11)
        let pieces = [
            "06", "Nov", "1994", "08:49:37", ":", " ", ";", "-", "GMT", "é", "\u{0}", "9999999999", "1", "70",
        ]
        var found = 0
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0..<10, using: &random)).map { _ in pieces.randomElement(using: &random)! }
                .joined(separator: Bool.random(using: &random) ? " " : "")
            guard let date = CookieDate.date(from: text) else { continue }
            found += 1
            if !(-11_644_473_600...253_402_300_799).contains(date.timeIntervalSince1970) {
                Issue.record("\(text.debugDescription) gives \(date)")
                return
            }
        }
        #expect(found > 0)
    }
}
