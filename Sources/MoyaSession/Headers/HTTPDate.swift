package import Foundation

/// Dates in HTTP (RFC 9110 section 5.6.7).
///
/// It works on bytes: a `DateFormatter` costs more than parsing the rest of a response's head.
package enum HTTPDate {
    /// Parses a date in the current form or in one of the two obsolete ones that every recipient must accept.
    ///
    ///     Sun, 06 Nov 1994 08:49:37 GMT    IMF-fixdate
    ///     Sunday, 06-Nov-94 08:49:37 GMT   RFC 850
    ///     Sun Nov  6 08:49:37 1994         asctime
    ///
    /// Harmless mistakes of real servers are accepted: the case of letters, a wrong weekday, four digits of a year
    /// where RFC 850 has two, and UTC instead of GMT. A leap second counts as the following second.
    ///
    /// - Parameter now: The reference time for a two-digit year: one more than 50 years ahead is in the past.
    /// - Returns: `nil` if the text is not such a date, or the date is not in the calendar.
    package static func date(from text: String, now: @autoclosure () -> Date = Date()) -> Date? {
        var text = text
        return text.withUTF8 { bytes in
            var reader = HTTPDateReader(bytes: bytes)
            return reader.read(now: now)
        }
    }

    /// Formats a date as an IMF-fixdate, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    ///
    /// Fractions of a second are dropped. A year has four digits: a date outside the years 0 to 9999 is clamped.
    package static func string(from date: Date) -> String {
        let seconds = clampedSeconds(date.timeIntervalSince1970)
        let days = seconds.flooredQuotient(by: 86400)
        let second = seconds - days * 86400
        let (year, month, day) = CivilCalendar.date(ofDay: days)
        return String(unsafeUninitializedCapacity: 29) { buffer in
            var writer = HTTPDateWriter(buffer: buffer)
            writer.write(HTTPDateNames.weekdays[(days + 4).flooredRemainder(by: 7)])
            writer.write(", ")
            writer.write(day)
            writer.write(" ")
            writer.write(HTTPDateNames.months[month - 1])
            writer.write(" ")
            writer.write(year / 100)
            writer.write(year % 100)
            writer.write(" ")
            writer.write(second / 3600)
            writer.write(":")
            writer.write(second / 60 % 60)
            writer.write(":")
            writer.write(second % 60)
            writer.write(" GMT")
            return writer.count
        }
    }

    /// Whole seconds since 1970, clamped to the years 0 to 9999.
    static func clampedSeconds(_ interval: TimeInterval) -> Int {
        let first = -62_167_219_200
        let last = 253_402_300_799
        guard interval > Double(first) else { return first }
        guard interval < Double(last) else { return last }
        return Int(interval.rounded(.down))
    }
}

/// The words in dates, three letters each.
enum HTTPDateNames {
    static let weekdays: [StaticString] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    static let months: [StaticString] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    static let universalZones: [StaticString] = ["GMT", "UTC"]
}

/// Fills a buffer from its start.
private struct HTTPDateWriter {
    let buffer: UnsafeMutableBufferPointer<UInt8>
    var count = 0

    init(buffer: UnsafeMutableBufferPointer<UInt8>) { self.buffer = buffer }

    mutating func write(_ text: StaticString) {
        for offset in 0..<text.utf8CodeUnitCount { write(byte: text.utf8Start[offset]) }
    }

    /// Writes the last two digits of a number.
    mutating func write(_ number: Int) {
        write(byte: UInt8(ascii: "0") + UInt8(number / 10 % 10))
        write(byte: UInt8(ascii: "0") + UInt8(number % 10))
    }

    private mutating func write(byte: UInt8) {
        buffer[count] = byte
        count += 1
    }
}
