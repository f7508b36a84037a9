#if canImport(Darwin) || POSIX_LOCK
public import Foundation

/// A value that only one thread at a time may access.
///
/// This lock is for Apple platforms, since those before iOS 18 lack `Mutex`. With `POSIX_LOCK` in the environment of
/// the build it is also used on Linux, over a POSIX lock, so that the whole suite runs with it and the thread sanitizer
/// understands it. On Linux, the kernel hands a contended `Mutex` from thread to thread (a PI futex), which the
/// sanitizer does not see: it reports false races.
///
/// A thread that waits for the lock holds an address, which a stored property of a struct does not have. The lock and
/// the value therefore share one allocation.
public struct _Lock<State>: ~Copyable, @unchecked Sendable {
    @usableFromInline let lock: UnsafeMutablePointer<SystemLock>
    @usableFromInline let state: UnsafeMutablePointer<State>

    /// Makes a lock around a value.
    @inlinable
    public init(_ state: consuming sending State) {
        let alignment = MemoryLayout<State>.alignment
        let offset = (MemoryLayout<SystemLock>.size + alignment - 1) / alignment * alignment
        let bytes = UnsafeMutableRawPointer.allocate(
            byteCount: offset + MemoryLayout<State>.size, alignment: max(alignment, MemoryLayout<SystemLock>.alignment))
        // Both kinds of lock are unlocked while all their bytes are 0, and neither has to be destroyed.
        lock = bytes.initializeMemory(as: SystemLock.self, to: SystemLock())
        self.state = (bytes + offset).initializeMemory(as: State.self, to: state)
    }

    @inlinable
    deinit {
        state.deinitialize(count: 1)
        UnsafeMutableRawPointer(lock).deallocate()
    }

    /// Runs the closure with exclusive access to the value.
    @inlinable
    public borrowing func withLock<Result, E: Error>(
        _ body: (inout sending State) throws(E) -> sending Result
    ) throws(E) -> sending Result {
        #if canImport(Darwin)
        os_unfair_lock_lock(lock)
        defer { os_unfair_lock_unlock(lock) }
        #else
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        #endif
        return try body(&state.pointee)
    }
}

#if canImport(Darwin)
@usableFromInline typealias SystemLock = os_unfair_lock
#else
@usableFromInline typealias SystemLock = pthread_mutex_t
#endif
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
