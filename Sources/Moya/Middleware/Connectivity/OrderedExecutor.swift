import Foundation

/// Runs tasks one after another, in the order in which they were woken.
///
/// The calls that waited for a network are woken in the order of their arrival. On the usual threads, the second may
/// overtake the first.
final class OrderedExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "org.moya.offline")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
