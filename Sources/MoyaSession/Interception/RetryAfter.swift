import Foundation
import MoyaTransport

/// What a server says of when to come back (RFC 9110 section 10.2.3).
enum RetryAfter {
    /// How long a response asks to wait, in seconds; `nil` when it does not say, or not in a way that can be read.
    ///
    /// A moment is counted from the response's own `Date`, where it has one: the two are of the same clock, and ours may
    /// be wrong. A moment in the past is no wait; a number too large for any clock is infinite.
    static func seconds(in head: TransportResponseHead, now: @autoclosure () -> Date = Date()) -> TimeInterval? {
        guard let value = head.value(for: "retry-after"), !value.isEmpty else { return nil }
        if value.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) {
            return value.utf8.reduce(0) { $0 * 10 + TimeInterval($1 - UInt8(ascii: "0")) }
        }
        guard let moment = HTTPDate.date(from: value) else { return nil }
        let sent = head.value(for: "date").flatMap { HTTPDate.date(from: $0) }
        return max(0, moment.timeIntervalSince(sent ?? now()))
    }
}
