import Foundation
import MoyaTransport

/// Counts of bytes, and the `Progress` of them, which is made when it is first asked for.
///
/// `@unchecked`: the `Progress` may be used from any thread.
final class LazyProgress: @unchecked Sendable {
    private let completed: Int64
    private let total: Int64?
    private let made = Lock<Made>(Made())

    /// `@unchecked`, as the whole.
    private struct Made: @unchecked Sendable {
        var progress: Progress?
    }

    init(completed: Int64, total: Int64?) {
        self.completed = completed
        self.total = total
    }

    /// The object, the same each time.
    var progress: Progress {
        if let known = made.value.progress { return known }
        // No part of the progress that is current on the thread of whoever looks first.
        let new = Progress(parent: nil, userInfo: nil)
        new.totalUnitCount = total ?? -1
        new.completedUnitCount = completed
        return made.withLock { made in
            let progress = made.progress ?? new
            made.progress = progress
            return Made(progress: progress)
        }.progress ?? new
    }

    /// The fraction as the object has it; 0 as long as the length is not known.
    var fraction: Double {
        guard let total, total > 0 else { return 0 }
        guard (0...total).contains(completed) else { return progress.fractionCompleted }
        return Double(completed) / Double(total)
    }
}
