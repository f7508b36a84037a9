import Foundation

/// Parses one date from its first byte to its last.
struct HTTPDateReader {
    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0

    init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    mutating func read(now: () -> Date) -> Date? {
        guard let weekday = word(), Self.index(of: weekday.prefix(3), in: HTTPDateNames.weekdays) != nil else {
            return nil
        }
        guard take(",") else { return readAsctime() }
        guard take(" "), let day = number(digits: 2) else { return nil }
        let isRFC850 = take("-")
        guard isRFC850 || take(" "), let month = month(), take(isRFC850 ? "-" : " ") else { return nil }
        guard let year = number(digits: 2) else { return nil }
        let rest = number(digits: 2)
        guard isRFC850 || rest != nil, take(" "), let second = timeOfDay(), take(" "), isUniversalZone(word()),
            position == bytes.count
        else { return nil }
        if let rest { return Self.date(year: year * 100 + rest, month: month, day: day, second: second) }
        return Self.latest(now: now()) { Self.date(year: $0 + year, month: month, day: day, second: second) }
    }

    private mutating func readAsctime() -> Date? {
        guard take(" "), let month = month(), take(" ") else { return nil }
        // A one-digit day is preceded by a space.
        guard let day = take(" ") ? number(digits: 1) : number(digits: 2), take(" "),
            let second = timeOfDay(), take(" "), let year = number(digits: 4), position == bytes.count
        else { return nil }
        return Self.date(year: year, month: month, day: day, second: second)
    }

    private static func date(year: Int, month: Int, day: Int, second: Int) -> Date? {
        guard day >= 1, day <= CivilCalendar.length(ofMonth: month, year: year) else { return nil }
        let days = CivilCalendar.day(year: year, month: month, day: day)
        // `Int` has 32 bits on some watches, too few for the seconds of a date after 2038.
        return Date(timeIntervalSince1970: Double(days) * 86400 + Double(second))
    }

    // MARK: Parts

    /// The date of a year with two digits: the latest that is not more than 50 years in the future (RFC 9110 section
    /// 5.6.7).
    private static func latest(now: Date, _ date: (_ century: Int) -> Date?) -> Date? {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        guard let limit = calendar.date(byAdding: .year, value: 50, to: now) else { return nil }
        let century = calendar.component(.year, from: now) / 100 * 100
        let dates = [century + 100, century, century - 100].lazy.compactMap(date)
        return dates.first { $0 <= limit }
    }

    private mutating func month() -> Int? {
        guard let name = word(), let index = Self.index(of: name, in: HTTPDateNames.months) else { return nil }
        return index + 1
    }

    private mutating func timeOfDay() -> Int? {
        guard let hour = number(digits: 2), take(":"), let minute = number(digits: 2), take(":"),
            let second = number(digits: 2), hour < 24, minute < 60, second <= 60
        else { return nil }
        return hour * 3600 + minute * 60 + second
    }

    private func isUniversalZone(_ zone: Slice<UnsafeBufferPointer<UInt8>>?) -> Bool {
        zone.flatMap { Self.index(of: $0, in: HTTPDateNames.universalZones) } != nil
    }

    // MARK: Bytes

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    /// Reads exactly that many digits; consumes none if there are fewer.
    private mutating func number(digits: Int) -> Int? {
        guard position + digits <= bytes.count else { return nil }
        var number = 0
        for byte in bytes[position..<position + digits] {
            guard ASCII.isDigit(byte) else { return nil }
            number = number * 10 + Int(byte - UInt8(ascii: "0"))
        }
        position += digits
        return number
    }

    /// Reads letters up to the next other byte.
    private mutating func word() -> Slice<UnsafeBufferPointer<UInt8>>? {
        let start = position
        while position < bytes.count, bytes[position] | 0x20 >= UInt8(ascii: "a"),
            bytes[position] | 0x20 <= UInt8(ascii: "z")
        {
            position += 1
        }
        return position > start ? bytes[start..<position] : nil
    }

    static func index(of name: Slice<UnsafeBufferPointer<UInt8>>, in names: [StaticString]) -> Int? {
        names.firstIndex { known in
            UnsafeBufferPointer(start: known.utf8Start, count: known.utf8CodeUnitCount)
                .elementsEqual(name) { $0 | 0x20 == $1 | 0x20 }
        }
    }
}
