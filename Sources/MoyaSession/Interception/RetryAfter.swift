import Foundation
import MoyaTransport

/// The `Retry-After` of a response (RFC 9110 section 10.2.3).
package enum RetryAfter {
    /// The requested wait of a response, in seconds; `nil` if the field is missing or malformed.
    static func seconds(in head: TransportResponseHead, now: @autoclosure () -> Date = Date()) -> TimeInterval? {
        guard let value = head.value(for: "retry-after") else { return nil }
        return seconds(value, sent: head.value(for: "date"), now: now())
    }

    /// The requested wait in a field value, in seconds; `nil` if it is neither a number nor a date.
    ///
    /// A date is relative to the response's own `Date`, if present: both come from the same clock, and the local one
    /// may be wrong. A date in the past is no wait; a number beyond the range of a clock is infinite.
    ///
    /// - Parameters:
    ///   - sent: The response's `Date`.
    ///   - now: The start of the wait without such a date.
    package static func seconds(
        _ value: String, sent: String? = nil, now: @autoclosure () -> Date
    ) -> TimeInterval? {
        let value = value.trimmingCharacters(in: .whitespaces)
        guard !value.isEmpty else { return nil }
        if value.utf8.allSatisfy(ASCII.isDigit) { return Double(value) }
        guard let moment = HTTPDate.date(from: value) else { return nil }
        return max(0, moment.timeIntervalSince(sent.flatMap { HTTPDate.date(from: $0) } ?? now()))
    }
}
