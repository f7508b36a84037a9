import Foundation

/// Runs tasks one at a time, in the order in which they were woken.
///
/// Waiting calls are woken in the order of their arrival. On Swift's own threads, the second may overtake the first.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
final class OrderedExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "org.moya.offline")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Runs closures on an ``OrderedExecutor`` if the system supports task executors; otherwise on Swift's own threads.
struct WokenOrder: Sendable {
    /// The `OrderedExecutor`; a stored property cannot have a type that is newer than its own.
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
