import Foundation
import MoyaTransport

/// A timer that fires at the earliest of many deadlines.
///
/// Activity moves no timer: a limit is checked when it was first due, and then when the next limit computed at that
/// time is due.
///
/// `@unchecked`: confined to its queue.
final class ExchangeTimer: @unchecked Sendable {
    private let queue: DispatchQueue
    private var timer: (any DispatchSourceTimer)?
    /// The time for which the timer is armed.
    private var due = DispatchTime.distantFuture
    private var checks = DeadlineChecks()

    init(queue: DispatchQueue) { self.queue = queue }

    deinit { timer?.cancel() }

    /// A check of deadlines at a time, which returns the next one to watch and the number of all.
    typealias Check = @Sendable (DispatchTime) -> (next: DispatchTime, count: Int)

    /// Calls a check no earlier than at a deadline and no more than 10 ms after it, and then at each returned deadline.
    func watch(_ deadline: DispatchTime, _ check: @escaping Check) {
        let time = max(deadline, DispatchTime(uptimeNanoseconds: checks.earliest))
        guard time < due else { return }
        due = time
        timer?.cancel()
        let timer = DispatchSource.makeTimerSource(flags: .strict, queue: queue)
        timer.schedule(deadline: time, leeway: .milliseconds(1))
        timer.setEventHandler { [weak self] in
            guard let self else { return }
            due = .distantFuture
            let now = DispatchTime.now()
            let (next, count) = check(now)
            checks.record(count, at: now.uptimeNanoseconds)
            if next < .distantFuture { watch(next, check) }
        }
        self.timer = timer
        timer.activate()
    }

    func stop() {
        timer?.cancel()
        timer = nil
        due = .distantFuture
    }
}
