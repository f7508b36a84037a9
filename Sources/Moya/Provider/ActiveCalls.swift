import Synchronization

/// The calls of a provider that are not over, so that they can be ended when it is released.
final class ActiveCalls<Call: Cancellable & AnyObject>: Sendable {
    private let calls = Mutex<[ObjectIdentifier: Call]>([:])

    func insert(_ call: Call) { calls.withLock { $0[ObjectIdentifier(call)] = call } }

    func remove(_ call: Call) { calls.withLock { $0[ObjectIdentifier(call)] = nil } }

    /// Cancels every call and lets go of it: one whose request is never made would never leave by itself.
    func cancelAll() {
        let all = calls.withLock { calls in
            defer { calls = [:] }
            return Array(calls.values)
        }
        // Cancelling leads back here, so the lock is not held meanwhile.
        for call in all { call.cancel() }
    }
}
