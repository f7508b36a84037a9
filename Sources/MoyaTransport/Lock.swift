#if canImport(Darwin) || POSIX_LOCK
import Foundation

/// A value that only one thread at a time may access.
///
/// This lock is for Apple platforms, since those before iOS 18 lack `Mutex`. With `POSIX_LOCK` in the environment of
/// the build it is also used on Linux, over a POSIX lock, so that the whole suite runs with it and the thread sanitizer
/// understands it. On Linux, the kernel hands a contended `Mutex` from thread to thread (a PI futex), which the
/// sanitizer does not see: it reports false races.
public struct _Lock<State>: ~Copyable, @unchecked Sendable {
    private final class Storage {
        #if canImport(Darwin)
        let lock = UnsafeMutablePointer<os_unfair_lock>.allocate(capacity: 1)
        #else
        let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        #endif
        var state: State

        init(_ state: State) {
            self.state = state
            #if canImport(Darwin)
            lock.initialize(to: os_unfair_lock())
            #else
            pthread_mutex_init(lock, nil)
            #endif
        }

        deinit {
            #if !canImport(Darwin)
            pthread_mutex_destroy(lock)
            #endif
            lock.deallocate()
        }
    }

    private let storage: Storage

    /// Makes a lock around a value.
    public init(_ state: consuming sending State) { storage = Storage(state) }

    /// Runs the closure with exclusive access to the value.
    public borrowing func withLock<Result, E: Error>(
        _ body: (inout sending State) throws(E) -> sending Result
    ) throws(E) -> sending Result {
        // The sanitizer treats a method of the storage as an access to the state.
        #if canImport(Darwin)
        os_unfair_lock_lock(storage.lock)
        defer { os_unfair_lock_unlock(storage.lock) }
        #else
        pthread_mutex_lock(storage.lock)
        defer { pthread_mutex_unlock(storage.lock) }
        #endif
        return try body(&storage.state)
    }
}
#else
public import Synchronization

/// A value that only one thread at a time may access.
public struct _Lock<State>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<State>

    /// Makes a lock around a value.
    @inlinable
    public init(_ state: consuming sending State) { mutex = Mutex(state) }

    /// Runs the closure with exclusive access to the value.
    @inlinable
    public borrowing func withLock<Result, E: Error>(
        _ body: (inout sending State) throws(E) -> sending Result
    ) throws(E) -> sending Result {
        try mutex.withLock(body)
    }
}
#endif

extension _Lock where State: Sendable {
    /// The current value.
    @inlinable public var value: State { withLock { $0 } }

    /// Replaces the value.
    @inlinable
    public borrowing func set(_ value: State) { withLock { $0 = value } }

    /// Replaces the value and returns the old one.
    @inlinable
    public borrowing func exchange(_ value: State) -> State {
        withLock { state in
            defer { state = value }
            return state
        }
    }
}

extension _Lock where State: AdditiveArithmetic & Sendable {
    /// Adds to the value and returns the sum.
    @inlinable @discardableResult
    public borrowing func add(_ amount: State) -> State {
        withLock { state in
            state += amount
            return state
        }
    }
}

/// A value that only one thread at a time may access.
///
/// The underlying type is public because the compiler (6.3) specializes public functions in other modules, but never
/// package functions: each use of a lock would cost a type look-up and an indirect call. It is not part of the API.
package typealias Lock<State> = _Lock<State>
