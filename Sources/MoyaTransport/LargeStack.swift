import Foundation

/// A thread with a larger stack than those of Dispatch, for recursion whose depth is bounded, but large.
package enum LargeStack {
    /// The size of the stack in bytes, of which memory is used only as far as the recursion goes.
    private static let size = 8 << 20

    /// Runs a closure on such a thread and waits for its end; on the caller's if no thread can be made.
    package static func run<Value>(_ body: () -> Value) -> Value {
        var value: Value?
        withoutActuallyEscaping({ value = body() }) { work in
            let context = Unmanaged.passRetained(Work(work))
            defer { context.release() }
            #if canImport(Darwin)
            var thread: pthread_t?
            #else
            var thread = pthread_t()
            #endif
            // The initializer of the attributes belongs to one of several modules, which differ by system.
            let code = withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { memory in
                guard let attributes = memory.baseAddress, pthread_attr_init(attributes) == 0 else { return EAGAIN }
                defer { pthread_attr_destroy(attributes) }
                pthread_attr_setstacksize(attributes, size)
                return pthread_create(&thread, attributes, { Work.run($0) }, context.toOpaque())
            }
            guard code == 0 else { return }
            #if canImport(Darwin)
            guard let thread else { return }
            #endif
            pthread_join(thread, nil)
        }
        return value ?? body()
    }

    private final class Work {
        private let body: () -> Void

        init(_ body: @escaping () -> Void) { self.body = body }

        /// Runs the work behind the argument of a thread, which is an optional on Linux only.
        static func run(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
            if let context { Unmanaged<Work>.fromOpaque(context).takeUnretainedValue().body() }
            return nil
        }
    }
}
