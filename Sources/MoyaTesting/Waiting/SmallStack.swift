import Foundation

/// A thread with as small a stack as those of Dispatch have.
package enum SmallStack {
    /// The bytes of the stack.
    package static let size = 512 * 1024

    /// Runs a closure on such a thread and returns its value.
    package static func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: body()) }
            thread.stackSize = size
            thread.start()
        }
    }
}
