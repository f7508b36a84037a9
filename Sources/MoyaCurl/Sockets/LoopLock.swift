#if os(Linux)
import Glibc

/// The lock that decides which thread runs the loop.
///
/// A `Lock` ends the process if its holder locks it again; here the attempt just fails.
///
/// `@unchecked`: it is itself the synchronization.
final class LoopLock: @unchecked Sendable {
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    init() { pthread_mutex_init(lock, nil) }

    deinit {
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    /// Runs the closure once no other thread holds the lock.
    func withLock<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return body()
    }

    /// Runs the closure unless a thread, the calling one included, holds the lock.
    func withLockIfFree(_ body: () -> Void) {
        guard pthread_mutex_trylock(lock) == 0 else { return }
        defer { pthread_mutex_unlock(lock) }
        body()
    }
}
#endif
