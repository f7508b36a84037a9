import Foundation

/// A thread with a stack as small as those of Dispatch.
package enum SmallStack {
    /// The size of the stack in bytes; larger under a sanitizer, which makes every frame larger.
    package static let size = Sanitizer.isActive ? 4 << 20 : 512 << 10

    /// Runs a closure on such a thread and returns its value.
    ///
    /// - Parameter size: The size of the stack in bytes.
    package static func run<Value: Sendable>(
        size: Int = SmallStack.size, _ body: @escaping @Sendable () -> Value
    ) async -> Value {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: body()) }
            thread.stackSize = size
            thread.start()
        }
    }
}
