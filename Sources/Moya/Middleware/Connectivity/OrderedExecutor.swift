import Foundation
import MoyaTransport

/// Runs the parts of a call's task in the order in which they were woken, until its request is sent.
///
/// Waiting calls are woken in the order of their arrival. On Swift's own threads, the second may overtake the first.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
final class OrderedExecutor: TaskExecutor {
    /// The serial queue of all calls that wait.
    private let order: DispatchQueue
    private let isSent = Lock(false)

    init(order: DispatchQueue) { self.order = order }

    /// Lets the rest of the task run beside those of other calls.
    func requestIsSent() { isSent.set(true) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let queue = isSent.value ? DispatchQueue.global() : order
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Runs closures on an ``OrderedExecutor`` each if the system supports task executors; otherwise on Swift's own threads.
struct WokenOrder: Sendable {
    private let queue = DispatchQueue(label: "org.moya.offline")

    /// - Parameter body: Receives a closure for the time when its request is sent.
    func run<Success: Sendable, Failure: Error>(
        _ body: (_ requestIsSent: @escaping @Sendable () -> Void) async throws(Failure) -> Success
    ) async throws(Failure) -> Success {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return try await body({}) }
        let executor = OrderedExecutor(order: queue)
        return try await withTaskExecutorPreference(executor) { () async throws(Failure) -> Success in
            try await body { executor.requestIsSent() }
        }
    }
}
