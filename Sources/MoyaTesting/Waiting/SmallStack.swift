import Foundation

/// A thread with as small a stack as those of Dispatch have.
package enum SmallStack {
    /// The bytes of the stack; more under a sanitizer, which makes every frame larger.
    package static let size = isSanitized ? 4 << 20 : 512 << 10

    /// `true` under `make sanitize`, which sets these.
    private static let isSanitized = ["TSAN_OPTIONS", "ASAN_OPTIONS"].contains {
        ProcessInfo.processInfo.environment[$0] != nil
    }

    /// Runs a closure on such a thread and returns its value.
    package static func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: body()) }
            thread.stackSize = size
            thread.start()
        }
    }
}
