import Foundation

@testable import Moya
@testable import MoyaSession
@testable import MoyaTransport

/// Dates of cookies, compared with a step-by-step implementation of RFC 6265 section 5.1.1.
@Sendable func checkCookieDate(_ bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    let date = CookieDate.date(from: text)
    let expected = cookieDate(Array(text.utf8))
    try expect(date == expected, "\(text) is read as \(String(describing: date)), not \(String(describing: expected))")
    guard let date else { return }
    let written = httpDate(date)
    try expect(HTTPDate.date(from: written) == date, "\(date) is written as \(written)")
    try expect(CookieDate.date(from: written) == date, "\(written) is another date to cookies")
}

/// A `Retry-After`, and a `Date` in a second line.
@Sendable func checkRetryAfter(_ bytes: [UInt8]) throws {
    var input = FuzzInput(bytes)
    let value = input.text()
    let sent = input.text()
    let now = Date(timeIntervalSince1970: 1_700_000_000)

    // A leap second at the very end is in the year 10000, which a date cannot represent. Foundation writes early dates
    // in another calendar.
    let years1600To9999 = -11_644_473_600.0..<253_402_300_800
    if let date = HTTPDate.date(from: value, now: now), years1600To9999.contains(date.timeIntervalSince1970) {
        let written = httpDate(date)
        try expect(HTTPDate.date(from: written, now: now) == date, "\(value) is written as \(written)")
        try expect(written.utf8.count == 29, "\(written) has another length")
        try expect(date.timeIntervalSince1970.rounded() == date.timeIntervalSince1970, "parts of a second in \(value)")
    }

    let wait = RetryAfter.seconds(value, now: now)
    if let wait { try expect(wait >= 0, "\(value) is a wait of \(wait)") }
    let fromDate = RetryAfter.seconds(value, sent: sent, now: now)
    try expect((fromDate == nil) == (wait == nil), "a Date makes \(value) readable, or unreadable")
    if let fromDate { try expect(fromDate >= 0, "\(value) at \(sent) is a wait of \(fromDate)") }
}

/// A date as Foundation writes it in HTTP's current form.
private func httpDate(_ date: Date) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = .gmt
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return formatter.string(from: date)
}

/// The algorithm of RFC 6265 section 5.1.1.
private func cookieDate(_ bytes: [UInt8]) -> Date? {
    let isDelimiter: (UInt8) -> Bool = { byte in
        byte == 0x09 || (0x20...0x2F).contains(byte) || (0x3B...0x40).contains(byte) || (0x5B...0x60).contains(byte)
            || (0x7B...0x7E).contains(byte)
    }
    var time: [Int]?
    var (day, month, year): (Int?, Int?, Int?)
    let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    for token in bytes.split(whereSeparator: isDelimiter) {
        if time == nil, let found = timeOfDay(Array(token)) {
            time = found
        } else if day == nil, let found = leadingNumber(Array(token), 1...2) {
            day = found
        } else if month == nil, token.count >= 3,
            let index = months.firstIndex(
                of: String(decoding: token.prefix(3).map { $0 < 0x80 ? $0 | 0x20 : 0 }, as: UTF8.self)),
            token.prefix(3).allSatisfy({ $0 >= 0x41 })
        {
            month = index + 1
        } else if year == nil, let found = leadingNumber(Array(token), 2...4) {
            year = found
        }
    }
    guard let time, let day, let month, var year else { return nil }
    if (70...99).contains(year) { year += 1900 } else if (0...69).contains(year) { year += 2000 }
    guard year >= 1601, time[0] <= 23, time[1] <= 59, time[2] <= 59 else { return nil }
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = .gmt
    let parts = DateComponents(year: year, month: month, day: day, hour: time[0], minute: time[1], second: time[2])
    guard let date = calendar.date(from: parts) else { return nil }
    // Foundation converts the 31st of a month of 30 days to the first of the next.
    let found = calendar.dateComponents([.year, .month, .day], from: date)
    return found.day == day && found.month == month && found.year == year ? date : nil
}

private func leadingNumber(_ token: [UInt8], _ digits: ClosedRange<Int>) -> Int? {
    let number = token.prefix(while: \.isDigit)
    return digits.contains(number.count) ? Int(String(decoding: number, as: UTF8.self)) : nil
}

private func timeOfDay(_ token: [UInt8]) -> [Int]? {
    let fields = token.split(separator: 0x3A, maxSplits: 2, omittingEmptySubsequences: false)
    guard fields.count == 3, fields[0].allSatisfy(\.isDigit), fields[1].allSatisfy(\.isDigit) else { return nil }
    let numbers = fields.compactMap { leadingNumber(Array($0), 1...2) }
    return numbers.count == 3 ? numbers : nil
}
