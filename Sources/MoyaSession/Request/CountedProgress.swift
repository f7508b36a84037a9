import Foundation
import MoyaTransport

/// A `Progress` that is updated from byte counts.
///
/// `@unchecked`: `Progress` itself may be used from any thread.
package final class CountedProgress: @unchecked Sendable {
    let progress: Progress

    init() {
        // Not a child of the progress that is current on the reading thread.
        progress = Progress(parent: nil, userInfo: nil)
        progress.totalUnitCount = -1
    }

    @discardableResult
    package func update(completed: Int64, total: Int64?) -> Progress {
        // On Linux, intermediate fractions overflow and trap unless the existing counts are reset first: a total is
        // never 0, and a completed count never exceeds its total.
        let total = total.flatMap { $0 > 0 ? $0 : nil }
        if progress.totalUnitCount != total ?? -1 {
            progress.completedUnitCount = 0
            progress.totalUnitCount = -1
            if let total { progress.totalUnitCount = total }
        }
        progress.completedUnitCount = min(max(completed, 0), total ?? .max)
        return progress
    }
}

/// The bytes transferred in one direction, and their `Progress`, made on first use.
package struct ByteCount {
    private(set) var completed: Int64 = 0
    private(set) var total: Int64?
    private var counted: CountedProgress?

    package init() {}

    /// `true` if the `Progress` has been read.
    var isWatched: Bool { counted != nil }

    /// Stores the counts and returns the `Progress` to update after unlocking, because its observers run user code.
    package mutating func update(_ completed: Int64, _ total: Int64?) -> CountedProgress? {
        self.completed = completed
        self.total = total
        return counted
    }

    package mutating func progress() -> Progress {
        if let counted { return counted.progress }
        let counted = CountedProgress()
        self.counted = counted
        return counted.update(completed: completed, total: total)
    }
}

/// The transferred bytes of a request in both directions.
struct ByteCounts {
    var received = ByteCount()
    var sent = ByteCount()
}
