import Foundation
import MoyaTransport

/// Byte counts, and their `Progress`, which is created on first use.
///
/// `@unchecked`: a `Progress` can be used from any thread.
final class LazyProgress: @unchecked Sendable {
    private let completed: Int64
    private let total: Int64?
    private let made = Lock<Made>(Made())

    /// `@unchecked` for the same reason.
    private struct Made: @unchecked Sendable {
        var progress: Progress?
    }

    init(completed: Int64, total: Int64?) {
        self.completed = completed
        self.total = total
    }

    /// The object, always the same one.
    var progress: Progress {
        if let known = made.value.progress { return known }
        // Not a child of the progress that is current on the reading thread.
        let new = Progress(parent: nil, userInfo: nil)
        new.totalUnitCount = total ?? -1
        new.completedUnitCount = completed
        return made.withLock { made in
            let progress = made.progress ?? new
            made.progress = progress
            return Made(progress: progress)
        }.progress ?? new
    }

    /// The fraction of the object; 0 while the length is unknown.
    var fraction: Double {
        guard let total, total > 0 else { return 0 }
        guard (0...total).contains(completed) else { return progress.fractionCompleted }
        return Double(completed) / Double(total)
    }
}
