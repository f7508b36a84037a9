import Dispatch
import MoyaTransport

/// The deadlines of all calls of the process on one timer, which retains nothing of a finished call.
package final class DeadlineTimer: Sendable {
    /// `@unchecked`: the index is protected by the timer's lock.
    package final class Entry: Indexed, @unchecked Sendable {
        package var index: Int?
        fileprivate let deadline: Deadline
        fileprivate let action: @Sendable () -> Void

        fileprivate init(_ deadline: Deadline, _ action: @escaping @Sendable () -> Void) {
            self.deadline = deadline
            self.action = action
        }
    }

    package static let shared = DeadlineTimer()

    private let entries = Lock(IndexedSet())
    private let watch = DeadlineWatch()

    private init() {}

    /// Schedules an action on a global queue; `nil` if the time is too far in the future.
    package func add(in seconds: Double, _ action: @escaping @Sendable () -> Void) -> Entry? {
        guard let deadline = Deadline(in: seconds) else { return nil }
        let entry = Entry(deadline, action)
        entries.withLock { $0.insert(entry) }
        watch.watch(deadline) { self.expire(at: $0) }
        return entry
    }

    /// The number of actions that are still to run.
    package var count: Int { entries.withLock { $0.count } }

    /// `true` if the timer is to wake a thread.
    package var isArmed: Bool { watch.isArmed }

    package func remove(_ entry: Entry) {
        let isEmpty = entries.withLock { entries in
            entries.remove(entry)
            return entries.count == 0
        }
        if isEmpty { watch.disarm { count == 0 } }
    }

    /// Runs due actions; returns the next deadline and the number of those checked.
    private func expire(at now: UInt64) -> (next: Deadline?, count: Int) {
        var (due, next): ([Entry], Deadline?) = ([], nil)
        let count = entries.withLock { entries in
            let all = entries.all(Entry.self)
            for entry in all {
                if entry.deadline.isOver(at: now) {
                    entries.remove(entry)
                    due.append(entry)
                } else {
                    next = min(next ?? entry.deadline, entry.deadline)
                }
            }
            return all.count
        }
        // Not on the timer's queue, because an action may run user code.
        if !due.isEmpty { DispatchQueue.global().async { [due] in for entry in due { entry.action() } } }
        return (next, count)
    }
}
