import Foundation
import MoyaTransport

/// An executor that keeps jobs back until the test runs them.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
final class HeldExecutor: TaskExecutor {
    private let held = Lock<[UnownedJob]?>([])
    private let arrivals = Promise<Void>()
    private let queue = DispatchQueue(label: "held executor")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isHeld = held.withLock { held in
            held?.append(job)
            return held != nil
        }
        if isHeld { arrivals.fulfill(()) } else { run([job]) }
    }

    /// Waits until another job was kept back.
    func arrival() async throws { try await arrivals.value }

    /// Runs the jobs that were kept back, and returns once their tasks are suspended again.
    ///
    /// A task that is resumed before it is suspended goes on in the same job.
    func run() async {
        run(
            held.withLock { held in
                defer { held = [] }
                return held ?? []
            })
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }

    /// Runs the jobs that were kept back, and those to come.
    func open() {
        run(
            held.withLock { held in
                defer { held = nil }
                return held ?? []
            })
    }

    private func run(_ jobs: [UnownedJob]) {
        queue.async { for job in jobs { job.runSynchronously(on: self.asUnownedTaskExecutor()) } }
    }
}
