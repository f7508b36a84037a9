import Foundation
import MoyaSession
import MoyaTransport

/// The `Progress` of a call, made on first use and updated with each event.
final class LiveProgress: Sendable {
    private let count = Lock(MoyaSession.ByteCount())

    /// The object, always the same one.
    var progress: Progress { count.withLock { $0.progress() } }

    func update(completed: Int64, total: Int64?) {
        count.withLock { $0.update(completed, total) }?.update(completed: completed, total: total)
    }
}

/// The byte counts of one event of a call.
struct EventCount: Sendable {
    var completed: Int64 = 0
    var total: Int64?
    /// The object of all events of the call; `nil` before any.
    var live: LiveProgress?

    /// The fraction of these counts; 0 while the length is unknown.
    var fraction: Double {
        guard let total, total > 0 else { return 0 }
        return Double(min(max(completed, 0), total)) / Double(total)
    }
}
