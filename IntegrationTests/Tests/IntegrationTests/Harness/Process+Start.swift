import Foundation
import Synchronization

/// Held while a process starts: Foundation on Linux reads memory that is not its own when two start at the same moment.
private let starting = Mutex(())

extension Process {
    /// Runs the process; no other is started meanwhile.
    func start() throws { try starting.withLock { _ in try run() } }
}
