import Foundation

/// Calls at the earliest of many moments.
///
/// Activity moves no timer: a bound is looked at when it was first due, and again when the next of that moment is.
///
/// `@unchecked`: belongs to its queue.
final class DeadlineTimer: @unchecked Sendable {
    private let queue: DispatchQueue
    private var timer: (any DispatchSourceTimer)?
    private var deadline = DispatchTime.distantFuture

    init(queue: DispatchQueue) { self.queue = queue }

    deinit { timer?.cancel() }

    /// Calls no later than at a moment, and then at each moment that was answered.
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
