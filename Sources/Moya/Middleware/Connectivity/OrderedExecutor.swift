import Foundation

/// Runs tasks one after another, in the order in which they were woken.
///
/// The calls that waited for a network are woken in the order of their arrival. On the usual threads, the second may
/// overtake the first.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
final class OrderedExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "org.moya.offline")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Runs closures by an ``OrderedExecutor``, where the system has executors of tasks; elsewhere on the usual threads.
struct WokenOrder: Sendable {
    /// An `OrderedExecutor`; a stored property cannot be of a type that is newer than its own.
    private let executor: (any Sendable)?

    init() {
        if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
            executor = OrderedExecutor()
        } else {
            executor = nil
        }
    }

    func run<Success: Sendable, Failure: Error>(
        _ body: () async throws(Failure) -> Success
    ) async throws(Failure) -> Success {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *),
            let executor = executor as? OrderedExecutor
        else { return try await body() }
        return try await withTaskExecutorPreference(executor, operation: body)
    }
}
