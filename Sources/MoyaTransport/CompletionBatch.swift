package import Dispatch

#if canImport(Glibc)
import Glibc
#endif

/// Wakes waiters with their results.
package protocol DeferredCompletion: AnyObject, Sendable {
    /// The priority of the waiter.
    var priority: TaskPriority { get }
    /// Delivers the result to the waiter.
    func deliver()
}

extension DeferredCompletion {
    package var priority: TaskPriority { .medium }

    /// Delivers the result on any thread: with the others of the transport's tick, or at once outside of one.
    package func deliverInBatch() {
        if let batch = CompletionBatch.current { batch.put(self) } else { deliver() }
    }
}

/// The completions of one tick of a transport's event loop, delivered together at its end.
///
/// Waking a waiting thread takes a system call, and the woken thread may take the core at once. With many exchanges in
/// flight, a tick ends several: one wake-up then serves all of them.
package final class CompletionBatch {
    @exclusivity(unchecked) private var anywhere: [any DeferredCompletion] = []
    @exclusivity(unchecked) private var onMainQueue: [any DeferredCompletion] = []
    @exclusivity(unchecked) private var onQueues: [(queue: DispatchQueue, delivery: any DeferredCompletion)] = []
    /// The highest priority among the deliveries.
    @exclusivity(unchecked) private var priority = TaskPriority.background

    /// Makes a batch that belongs to no thread.
    package init() {}

    /// Defers a delivery that may run on any thread.
    package func put(_ delivery: any DeferredCompletion) {
        anywhere.append(delivery)
        priority = max(priority, delivery.priority)
    }

    /// Defers a delivery that has to run on a queue, after those put there before; `nil` for the main queue.
    package func put(_ delivery: any DeferredCompletion, on queue: DispatchQueue?) {
        if let queue { onQueues.append((queue, delivery)) } else { onMainQueue.append(delivery) }
    }

    /// Runs all deliveries: of those that may run anywhere, a single one at once, several one after the other on another
    /// thread.
    ///
    /// That thread belongs to the pool in which the waiters continue: Dispatch then reuses the memory of earlier work
    /// items, and wakes one thread.
    package func end() {
        defer { priority = .background }
        if anywhere.count == 1 {
            anywhere.removeLast().deliver()
        } else if !anywhere.isEmpty {
            DispatchQueue.global(qos: DispatchQoS.QoSClass(priority)).async(execute: Self.all(of: &anywhere))
        }
        if !onMainQueue.isEmpty { DispatchQueue.main.async(execute: Self.all(of: &onMainQueue)) }
        guard !onQueues.isEmpty else { return }
        for (queue, delivery) in onQueues { queue.async { delivery.deliver() } }
        onQueues.removeAll(keepingCapacity: true)
    }

    private static func all(of completions: inout [any DeferredCompletion]) -> @Sendable () -> Void {
        let due = completions
        completions = []
        completions.reserveCapacity(due.count)
        return { for completion in due { completion.deliver() } }
    }
}

extension DispatchQoS.QoSClass {
    /// The quality of service of threads that run tasks of a priority.
    fileprivate init(_ priority: TaskPriority) {
        self =
            switch priority {
            case .high...: .userInitiated
            case .medium...: .default
            case .utility...: .utility
            default: .background
            }
    }
}

#if canImport(Glibc)
extension CompletionBatch {
    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        return pthread_key_create(&key, nil) == 0 ? key : nil
    }()

    /// The batch of the calling thread; `nil` on threads without one, where everything is delivered at once.
    package static var current: CompletionBatch? {
        guard let key, let batch = pthread_getspecific(key) else { return nil }
        return Unmanaged<CompletionBatch>.fromOpaque(batch).takeUnretainedValue()
    }

    /// Runs the closure with this batch as that of the calling thread.
    package func run(_ body: () -> Void) {
        guard let key = Self.key else { return body() }
        let outer = pthread_getspecific(key)
        pthread_setspecific(key, Unmanaged.passUnretained(self).toOpaque())
        body()
        pthread_setspecific(key, outer)
    }
}
#else
extension CompletionBatch {
    /// `nil`: only the libcurl transport uses batches.
    package static var current: CompletionBatch? { nil }
}
#endif
