import Foundation
import MoyaTransport

/// Parses dates in the `Expires` attribute of cookies as leniently as browsers (RFC 6265 section 5.1.1).
package enum CookieDate {
    /// Parses a date; `nil` if the time, the day, the month or the year is missing or invalid.
    package static func date(from text: String) -> Date? {
        var text = text
        return text.withUTF8 { bytes in
            var parts = CookieDateParts()
            var start = 0
            while start < bytes.count {
                if isDelimiter(bytes[start]) {
                    start += 1
                    continue
                }
                var end = start
                while end < bytes.count, !isDelimiter(bytes[end]) { end += 1 }
                parts.take(UnsafeBufferPointer(rebasing: bytes[start..<end]))
                start = end
            }
            return parts.date
        }
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }
}

/// The parts of a date found so far; the first of each kind counts.
private struct CookieDateParts {
    private var time: (hour: Int, minute: Int, second: Int)?
    private var day: Int?
    private var month: Int?
    private var year: Int?

    mutating func take(_ word: UnsafeBufferPointer<UInt8>) {
        if time == nil, let found = Self.time(word) {
            time = found
        } else if day == nil, let found = Self.number(word, digits: 1...2) {
            day = found
        } else if month == nil, let found = Self.month(word) {
            month = found
        } else if year == nil, let found = Self.number(word, digits: 2...4) {
            year = found
        }
    }

    var date: Date? {
        guard let time, let day, let month, var year else { return nil }
        if year < 70 { year += 2000 } else if year < 100 { year += 1900 }
        guard year >= 1601, day >= 1, day <= CivilCalendar.length(ofMonth: month, year: year), time.hour <= 23,
            time.minute <= 59, time.second <= 59
        else { return nil }
        let days = CivilCalendar.day(year: year, month: month, day: day)
        let second = time.hour * 3600 + time.minute * 60 + time.second
        // `Int` has 32 bits on some watches, too few for the seconds of a date after 2038.
        return Date(timeIntervalSince1970: Double(days) * 86400 + Double(second))
    }

    /// `h:m:s` of one or two digits each, without a further digit.
    private static func time(_ word: UnsafeBufferPointer<UInt8>) -> (Int, Int, Int)? {
        var position = 0
        guard let hour = field(word, &position), colon(word, &position), let minute = field(word, &position),
            colon(word, &position), let second = field(word, &position)
        else { return nil }
        return (hour, minute, second)
    }

    private static func field(_ word: UnsafeBufferPointer<UInt8>, _ position: inout Int) -> Int? {
        let rest = UnsafeBufferPointer(rebasing: word[position...])
        guard let value = number(rest, digits: 1...2) else { return nil }
        while position < word.count, ASCII.isDigit(word[position]) { position += 1 }
        return value
    }

    private static func colon(_ word: UnsafeBufferPointer<UInt8>, _ position: inout Int) -> Bool {
        guard position < word.count, word[position] == UInt8(ascii: ":") else { return false }
        position += 1
        return true
    }

    /// The number at the start of a word, if it has the required digits; any text may follow.
    private static func number(_ word: UnsafeBufferPointer<UInt8>, digits: ClosedRange<Int>) -> Int? {
        var value = 0
        var count = 0
        while count < word.count, ASCII.isDigit(word[count]) {
            guard count < digits.upperBound else { return nil }
            value = value * 10 + Int(word[count] - UInt8(ascii: "0"))
            count += 1
        }
        return digits.contains(count) ? value : nil
    }

    /// The month at the start of a word; any text may follow.
    private static func month(_ word: UnsafeBufferPointer<UInt8>) -> Int? {
        HTTPDateReader.index(of: word.prefix(3), in: HTTPDateNames.months).map { $0 + 1 }
    }
}
