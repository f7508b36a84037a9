import Foundation

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
}

/// The words in dates, three letters each.
enum HTTPDateNames {
    static let weekdays: [StaticString] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    static let months: [StaticString] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    static let universalZones: [StaticString] = ["GMT", "UTC"]
}
