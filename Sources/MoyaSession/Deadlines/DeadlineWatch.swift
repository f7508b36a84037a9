import Dispatch
import MoyaTransport

/// A timer for many deadlines, armed for the earliest.
///
/// It fires once more after the last one, since arming and disarming it for each would cost more than a wake-up.
package final class DeadlineWatch: Sendable {
    private struct State {
        var due: Deadline?
        var timer: (any DispatchSourceTimer)?
    }

    private let state = Lock(State())
    private let queue = DispatchQueue(label: "org.moya.deadlines")

    package init() {}

    deinit { state.withLock { $0.timer?.cancel() } }

    /// Calls `expire` on an internal queue, no earlier than the deadline.
    ///
    /// The closure receives the current uptime in nanoseconds and returns the next deadline to watch.
    package func watch(_ deadline: Deadline, expire: @escaping @Sendable (UInt64) -> Deadline?) {
        state.withLock { state in
            if let due = state.due, due <= deadline { return }
            state.due = deadline
            state.timer?.cancel()
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.setEventHandler { [weak self] in self?.fire(expire) }
            timer.schedule(deadline: DispatchTime(uptimeNanoseconds: deadline.uptimeNanoseconds))
            state.timer = timer
            timer.resume()
        }
    }

    private func fire(_ expire: @escaping @Sendable (UInt64) -> Deadline?) {
        state.withLock { state in
            state.due = nil
            state.timer?.cancel()
            state.timer = nil
        }
        if let next = expire(DispatchTime.now().uptimeNanoseconds) { watch(next, expire: expire) }
    }
}
