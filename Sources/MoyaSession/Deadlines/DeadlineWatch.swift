import Dispatch
import MoyaTransport

/// A timer for many deadlines, armed for the earliest.
///
/// Arming and disarming it for each would cost more than a wake-up, so it is disarmed at most ten times a second.
package final class DeadlineWatch: Sendable {
    private struct State {
        /// The time for which the timer is armed, in nanoseconds of uptime.
        var due: UInt64?
        /// The time at which the timer was armed.
        var armed: UInt64 = 0
        var checks = DeadlineChecks()
        var timer: (any DispatchSourceTimer)?
    }

    private let state = Lock(State())
    private let queue = DispatchQueue(label: "org.moya.deadlines")

    package init() {}

    deinit { state.withLock { $0.timer?.cancel() } }

    /// The least time that the timer stays armed, in nanoseconds.
    private static let leastArmed: UInt64 = 100_000_000

    /// `true` if the timer is armed, and will thus wake a thread.
    package var isArmed: Bool { state.withLock { $0.due != nil } }

    /// Disarms the timer if no deadline is left, unless it was armed within the last 100 ms.
    ///
    /// - Parameter isIdle: Returns whether none is left; called under the lock of this object. Since a deadline is first
    ///   added and then watched, none that is added meanwhile is missed.
    package func disarm(if isIdle: () -> Bool) {
        let now = DispatchTime.now().uptimeNanoseconds
        state.withLock { state in
            guard state.due != nil, now >= state.armed + Self.leastArmed, isIdle() else { return }
            state.due = nil
            state.timer?.cancel()
            state.timer = nil
        }
    }

    /// A check of deadlines at an uptime in nanoseconds, which returns the next one to watch and the number of all.
    package typealias Expire = @Sendable (UInt64) -> (next: Deadline?, count: Int)

    /// Calls `expire` on an internal queue, no earlier than the deadline, and no more than 10 ms after it.
    package func watch(_ deadline: Deadline, expire: @escaping Expire) {
        state.withLock { state in
            let time = max(deadline.uptimeNanoseconds, state.checks.earliest)
            if let due = state.due, due <= time { return }
            (state.due, state.armed) = (time, DispatchTime.now().uptimeNanoseconds)
            state.timer?.cancel()
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.setEventHandler { [weak self] in self?.fire(expire) }
            timer.schedule(deadline: DispatchTime(uptimeNanoseconds: time))
            state.timer = timer
            timer.resume()
        }
    }

    private func fire(_ expire: @escaping Expire) {
        state.withLock { state in
            state.due = nil
            state.timer?.cancel()
            state.timer = nil
        }
        let now = DispatchTime.now().uptimeNanoseconds
        let (next, count) = expire(now)
        state.withLock { $0.checks.record(count, at: now) }
        if let next { watch(next, expire: expire) }
    }
}
