import Foundation
import Testing

@testable import MoyaSession

@Suite struct HTTPDateTests {
    /// The moment that every example of RFC 9110 names.
    private let example = Date(timeIntervalSince1970: 784_111_777)
    private let year2024 = Date(timeIntervalSince1970: 1_717_200_000)

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ])
    func eachFormIsRead(text: String) {
        #expect(HTTPDate.date(from: text) == example)
    }

    @Test(arguments: [
        "sun, 06 NOV 1994 08:49:37 gmt", "Mon, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06-Nov-1994 08:49:37 GMT", "Sunday, 06 Nov 1994 08:49:37 GMT",
    ])
    func aMinorFormatErrorIsIgnored(text: String) {
        #expect(HTTPDate.date(from: text) == example)
    }

    @Test(arguments: [
        "", "0", "120", "Sun", "Sun,", "Sun, ", "Xyz, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37",
        "Sun, 06 Nov 1994 08:49:37 PST", "Sun, 06 Nov 1994 08:49:37 GMT ", " Sun, 06 Nov 1994 08:49:37 GMT",
        "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT",
        "Sun, 06 Nox 1994 08:49:37 GMT", "Sun, 06 November 1994 08:49:37 GMT", "Sun, 06-Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT", "Thu, 29 Feb 1900 00:00:00 GMT",
        "Sun, 0\u{661} Nov 1994 08:49:37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT", "Sun Nov 6 08:49:37 1994",
        "Sun Nov  6 08:49:37 1994 GMT", "Sun, 06 Nov 1994 08:49:37 GMT\u{0}",
    ])
    func malformedDateIsNil(text: String) {
        #expect(HTTPDate.date(from: text) == nil)
    }

    @Test func aMomentMoreThanFiftyYearsAheadIsPast() throws {
        let now = Date(timeIntervalSince1970: 1_767_225_600)
        let later = try #require(HTTPDate.date(from: "Friday, 31-Dec-76 23:59:59 GMT", now: now))
        #expect(later < now)
        let earlier = try #require(HTTPDate.date(from: "Wednesday, 01-Jan-76 00:00:00 GMT", now: now))
        #expect(earlier > now)
    }

    @Test(arguments: [("74", 2074), ("75", 1975), ("00", 2000), ("99", 1999), ("24", 2024)])
    func aYearOfTwoDigitsIsAtMostFiftyYearsAhead(digits: String, year: Int) {
        let date = HTTPDate.date(from: "Monday, 01-Jan-\(digits) 00:00:00 GMT", now: year2024)
        #expect(date == HTTPDate.date(from: "Mon, 01 Jan \(year) 00:00:00 GMT"))
    }

    @Test func aYearOfTwoDigitsMayBeInTheNextCentury() {
        let end = HTTPDate.date(from: "Thu, 31 Dec 2099 00:00:00 GMT")
        let date = end.flatMap { HTTPDate.date(from: "Friday, 01-Jan-00 00:00:00 GMT", now: $0) }
        #expect(date == HTTPDate.date(from: "Fri, 01 Jan 2100 00:00:00 GMT"))
    }

    @Test func aLeapSecondIsTheSecondAfterIt() {
        #expect(HTTPDate.date(from: "Sat, 31 Dec 2016 23:59:60 GMT") == Date(timeIntervalSince1970: 1_483_228_800))
    }

    @Test func aDateOfAnyYearIsReadAsFoundationWritesIt() {
        // Steps of 403.6 days meet every month, every weekday and each kind of leap year.
        for seconds in stride(from: -11_644_473_600.0, through: 253_402_300_799, by: 34_873_191) {
            let date = Date(timeIntervalSince1970: seconds)
            guard HTTPDate.date(from: date.httpText) == date else {
                Issue.record("\(seconds): \(date.httpText)")
                return
            }
        }
    }
}
