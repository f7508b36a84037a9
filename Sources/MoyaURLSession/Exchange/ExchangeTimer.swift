import Foundation

/// A timer that fires at the earliest of many deadlines.
///
/// Activity moves no timer: a limit is checked when it was first due, and then when the next limit computed at that
/// time is due.
///
/// `@unchecked`: confined to its queue.
final class ExchangeTimer: @unchecked Sendable {
    private let queue: DispatchQueue
    private var timer: (any DispatchSourceTimer)?
    private var deadline = DispatchTime.distantFuture

    init(queue: DispatchQueue) { self.queue = queue }

    deinit { timer?.cancel() }

    /// Calls no later than at a deadline, and then at each returned deadline.
    func watch(_ deadline: DispatchTime, _ call: @escaping @Sendable (DispatchTime) -> DispatchTime) {
        guard deadline < self.deadline else { return }
        self.deadline = deadline
        timer?.cancel()
        let timer = DispatchSource.makeTimerSource(flags: .strict, queue: queue)
        timer.schedule(deadline: deadline, leeway: .milliseconds(1))
        timer.setEventHandler { [weak self] in
            guard let self else { return }
            self.deadline = .distantFuture
            let next = call(.now())
            if next < .distantFuture { watch(next, call) }
        }
        self.timer = timer
        timer.activate()
    }

    func stop() {
        timer?.cancel()
        timer = nil
        deadline = .distantFuture
    }
}
