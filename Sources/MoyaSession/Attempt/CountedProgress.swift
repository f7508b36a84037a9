import Foundation
import MoyaTransport

/// A `Progress` that follows the counts of a transfer.
///
/// `@unchecked`: `Progress` itself may be used from any thread.
final class CountedProgress: @unchecked Sendable {
    let progress = Progress(totalUnitCount: -1)
    private let issued = Lock(0)
    private let newest = Lock(0)

    @discardableResult
    func update(completed: Int64, total: Int64?) -> Progress {
        // On Linux the fractions in between overflow, and stop the program, unless a count that is there goes first: no
        // total is 0, no count is beyond its total, and a new total finds neither.
        let total = total.flatMap { $0 > 0 ? $0 : nil }
        if progress.totalUnitCount != total ?? -1 {
            progress.completedUnitCount = 0
            progress.totalUnitCount = -1
            if let total { progress.totalUnitCount = total }
        }
        progress.completedUnitCount = min(max(completed, 0), total ?? .max)
        return progress
    }

    /// Numbers counts that are reported by way of a queue; to be called in the order in which they came.
    func number() -> Int { issued.add(1) }

    /// Takes counts, unless newer ones were taken: a concurrent queue may bring them in any order.
    func update(completed: Int64, total: Int64?, numbered number: Int) -> Progress {
        newest.withLock { newest in
            guard number > newest else { return }
            newest = number
            update(completed: completed, total: total)
        }
        return progress
    }
}

/// The bytes that have moved in one direction, and the `Progress` that reports them, made on first use.
struct ByteCount {
    private(set) var completed: Int64 = 0
    private(set) var total: Int64?
    private var counted: CountedProgress?

    /// `true` if the `Progress` has been read.
    var isWatched: Bool { counted != nil }

    /// Takes the counts; the object is to be brought up to date once no lock is held, since others observe it.
    mutating func update(_ completed: Int64, _ total: Int64?) -> CountedProgress? {
        self.completed = completed
        self.total = total
        return counted
    }

    mutating func progress() -> Progress {
        if let counted { return counted.progress }
        let counted = CountedProgress()
        self.counted = counted
        return counted.update(completed: completed, total: total)
    }
}

/// The bytes of a request, both ways.
struct ByteCounts {
    var received = ByteCount()
    var sent = ByteCount()
}
