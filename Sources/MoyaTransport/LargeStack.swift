import Foundation

/// A thread with a larger stack than those of Dispatch, for recursion whose depth is bounded, but large.
package enum LargeStack {
    /// The size of the stack in bytes, of which memory is used only as far as the recursion goes.
    private static let size = 8 << 20

    /// Runs a closure on such a thread and waits for its end; on the caller's if no thread can be made.
    package static func run<Value>(_ body: () -> Value) -> Value {
        var value: Value?
        withoutActuallyEscaping({ value = body() }) { runOnThread(Work($0)) }
        return value ?? body()
    }

    /// `@unchecked`: the caller waits until the thread has run it.
    private final class Work: @unchecked Sendable {
        private var body: (() -> Void)?

        init(_ body: @escaping () -> Void) { self.body = body }

        /// Runs the closure and releases it, which the caller does not outlive.
        func run() { if let body = body.take() { body() } }
    }

    #if canImport(Darwin)
    private static func runOnThread(_ work: Work) {
        let end = DispatchSemaphore(value: 0)
        let thread = Thread {
            work.run()
            end.signal()
        }
        thread.stackSize = size
        // A semaphore raises no priority.
        thread.qualityOfService = Thread.current.qualityOfService
        thread.start()
        end.wait()
    }
    #else
    /// POSIX tells if the thread could not be made; Foundation would not.
    private static func runOnThread(_ work: Work) {
        let context = Unmanaged.passRetained(work)
        defer { context.release() }
        var thread = pthread_t()
        // The initializer of the attributes belongs to one of several modules, which differ by system.
        let code = withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { memory in
            guard let attributes = memory.baseAddress, pthread_attr_init(attributes) == 0 else { return EAGAIN }
            defer { pthread_attr_destroy(attributes) }
            pthread_attr_setstacksize(attributes, size)
            return pthread_create(
                &thread, attributes,
                { context in
                    if let context { Unmanaged<Work>.fromOpaque(context).takeUnretainedValue().run() }
                    return nil
                }, context.toOpaque())
        }
        if code == 0 { pthread_join(thread, nil) }
    }
    #endif
}
