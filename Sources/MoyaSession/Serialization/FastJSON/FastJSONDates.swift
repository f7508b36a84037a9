#if FastJSON
import Foundation

extension FastJSONNode {
    /// The date of a string of RFC 3339.
    ///
    /// Dates as `2026-11-22T22:18:57Z`, `2026-11-22T23:18:57+01:00` and `+0100` are read here, and others by Foundation.
    ///
    /// - Throws: An error if Foundation reads no date.
    func iso8601Date() throws -> Date {
        if let seconds = text.secondsSince1970 { return Date(timeIntervalSince1970: seconds) }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(Date.self, from: JSONEncoder().encode(string))
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Seconds since 1970 of a date and time without fractions; `nil` for other texts, for days and times that there are not,
    /// and for years before 1600.
    fileprivate var secondsSince1970: Double? {
        guard [20, 24, 25].contains(count), self[4] == UInt8(ascii: "-"), self[7] == UInt8(ascii: "-"),
            self[10] == UInt8(ascii: "T"), self[13] == UInt8(ascii: ":"), self[16] == UInt8(ascii: ":"),
            let century = twoDigits(at: 0), let yearOfCentury = twoDigits(at: 2), let month = twoDigits(at: 5),
            let day = twoDigits(at: 8), let hour = twoDigits(at: 11), let minute = twoDigits(at: 14),
            let second = twoDigits(at: 17), let offset = secondsFromUTC
        else { return nil }
        let year = century * 100 + yearOfCentury
        // Calendars disagree about years before the Gregorian one was everywhere in force.
        guard year >= 1600, (1...12).contains(month), day >= 1,
            day <= CivilCalendar.length(ofMonth: month, year: year), hour < 24, minute < 60, second < 60
        else { return nil }
        let days = CivilCalendar.day(year: year, month: month, day: day)
        // `Int` has 32 bits on some watches, too few for the seconds of a date after 2038.
        return Double(days) * 86400 + Double((hour * 60 + minute) * 60 + second - offset)
    }

    private var secondsFromUTC: Int? {
        if count == 20 { return self[19] == UInt8(ascii: "Z") ? 0 : nil }
        guard count == 24 || self[22] == UInt8(ascii: ":"), let hours = twoDigits(at: 20),
            let minutes = twoDigits(at: count - 2),
            hours <= 14, minutes < 60
        else { return nil }
        switch self[19] {
        case UInt8(ascii: "+"): return (hours * 60 + minutes) * 60
        case UInt8(ascii: "-"): return -(hours * 60 + minutes) * 60
        default: return nil
        }
    }

    private func twoDigits(at index: Int) -> Int? {
        let tens = self[index] &- UInt8(ascii: "0")
        let ones = self[index + 1] &- UInt8(ascii: "0")
        return tens <= 9 && ones <= 9 ? Int(tens) * 10 + Int(ones) : nil
    }
}
#endif
