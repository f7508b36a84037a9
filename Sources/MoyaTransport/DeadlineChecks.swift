/// The earliest time of the next check of many deadlines, where a check reads all of them.
///
/// One check finds all deadlines that pass before the next one, since a check for each would take quadratic time.
package struct DeadlineChecks {
    /// The time in nanoseconds; 0 before the first check.
    package private(set) var earliest: UInt64 = 0

    /// Makes a record without a check.
    package init() {}

    /// Records a check of so many deadlines: the next one is 1 µs later for each of them, and at most 10 ms.
    package mutating func record(_ count: Int, at now: UInt64) {
        earliest = now + UInt64(clamping: min(count, 10_000)) * 1_000
    }
}
