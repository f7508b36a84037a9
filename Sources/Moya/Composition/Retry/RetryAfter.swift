import Foundation
import MoyaSession

/// What a server says of when to try again (RFC 9110 section 10.2.3).
package enum RetryAfter {
    /// How long it is until then, in seconds; `nil` when the value is neither a number of seconds nor a date.
    ///
    /// A date that has passed is no time at all. A number too great for a `Double` to tell is infinite.
    ///
    /// - Parameter now: What a date is counted from.
    package static func seconds(_ value: String, now: Date) -> Double? {
        let value = value.trimmingCharacters(in: .whitespaces)
        guard !value.isEmpty else { return nil }
        if value.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) { return Double(value) }
        return HTTPDate.date(from: value).map { Swift.max(0, $0.timeIntervalSince(now)) }
    }
}
