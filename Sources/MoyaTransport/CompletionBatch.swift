import Dispatch

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

/// The completions of one tick of a transport's event loop, delivered together when the tick is over.
///
/// A thread that waits is woken by a system call, and may at once take the core from the one that wakes it. With many
/// exchanges under way a tick ends several: a waiter for them is woken once for all, instead of once for each.
package final class CompletionBatch {
    private var anywhere: [any DeferredCompletion] = []
    private var onMainQueue: [any DeferredCompletion] = []
    /// The highest priority among the former.
    private var priority = TaskPriority.background

    /// Makes a batch that belongs to no thread.
    package init() {}

    /// Puts a delivery off that may run on any thread.
    package func put(_ delivery: any DeferredCompletion) {
        anywhere.append(delivery)
        priority = max(priority, delivery.priority)
    }

    /// Puts a delivery off that has to run on the main queue.
    package func putOnMainQueue(_ delivery: any DeferredCompletion) { onMainQueue.append(delivery) }

    /// Hands on everything: a single delivery at once, several from another thread, one after the other.
    ///
    /// That thread is of the pool in which those who wait go on: Dispatch then uses the memory of the work that they did
    /// before for the work that they do next, and has one thread to wake.
    package func end() {
        defer { priority = .background }
        if anywhere.count == 1 {
            anywhere.removeLast().deliver()
        } else if !anywhere.isEmpty {
            DispatchQueue.global(qos: DispatchQoS.QoSClass(priority)).async(execute: Self.all(of: &anywhere))
        }
        if !onMainQueue.isEmpty { DispatchQueue.main.async(execute: Self.all(of: &onMainQueue)) }
    }

    private static func all(of completions: inout [any DeferredCompletion]) -> @Sendable () -> Void {
        let due = completions
        completions = []
        completions.reserveCapacity(due.count)
        return { for completion in due { completion.deliver() } }
    }
}

extension DispatchQoS.QoSClass {
    /// The class of the threads that run tasks of a priority.
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

    /// The batch of the calling thread; `nil` on threads that have none, where everything is delivered at once.
    package static var current: CompletionBatch? {
        guard let key, let turn = pthread_getspecific(key) else { return nil }
        return Unmanaged<CompletionBatch>.fromOpaque(turn).takeUnretainedValue()
    }

    /// Runs the closure with this as the batch of the calling thread.
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
    /// `nil`: only the wire over libcurl has batches.
    package static var current: CompletionBatch? { nil }
}
#endif
