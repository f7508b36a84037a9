#if THREAD_SANITIZER
import Foundation

/// Stands for `Mutex` where the thread sanitizer watches.
///
/// On Linux a contended `Mutex` is handed from thread to thread by the kernel (a PI futex), which the sanitizer does
/// not see: it reports races that are none. It does see pthread's mutex. `make sanitize` defines `THREAD_SANITIZER`.
package struct SanitizedMutex<Value>: ~Copyable, @unchecked Sendable {
    private final class Storage {
        let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        var value: Value

        init(_ value: Value) {
            self.value = value
            pthread_mutex_init(lock, nil)
        }

        deinit {
            pthread_mutex_destroy(lock)
            lock.deallocate()
        }
    }

    private let storage: Storage

    /// Makes a lock around a value.
    package init(_ value: consuming sending Value) { storage = Storage(value) }

    /// Runs the closure with the value while nobody else has it.
    package borrowing func withLock<Result, E: Error>(
        _ body: (inout sending Value) throws(E) -> sending Result
    ) throws(E) -> sending Result {
        pthread_mutex_lock(storage.lock)
        defer { pthread_mutex_unlock(storage.lock) }
        return try body(&storage.value)
    }
}
#endif
