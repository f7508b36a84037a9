import Foundation
import Synchronization

/// A `Progress` that follows the counts of a transfer.
///
/// `@unchecked`: `Progress` itself may be used from any thread.
final class CountedProgress: @unchecked Sendable {
    let progress = Progress(totalUnitCount: -1)
    private let issued = Atomic(0)
    private let newest = Mutex(0)

    @discardableResult
    func update(completed: Int64, total: Int64?) -> Progress {
        // Set back to 0, the total can overflow on Linux.
        progress.totalUnitCount = total ?? -1
        progress.completedUnitCount = completed
        return progress
    }

    /// Numbers counts that are told by way of a queue; to be asked in the order in which they came.
    func number() -> Int { issued.add(1, ordering: .relaxed).newValue }

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

/// The bytes that have moved in one direction, and the `Progress` that tells of them, made when it is first asked for.
struct ByteCount {
    private var completed: Int64 = 0
    private var total: Int64?
    private var counted: CountedProgress?

    /// Whether anybody has asked for the `Progress`.
    var isWatched: Bool { counted != nil }

    /// Takes the counts; the object is to be brought up to date once no lock is held, since others observe it.
    mutating func note(_ completed: Int64, _ total: Int64?) -> CountedProgress? {
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
