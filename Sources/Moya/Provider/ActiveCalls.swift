import Synchronization

/// The calls of a provider that are not over, so that they can be ended when it is released.
final class ActiveCalls<Call: Cancellable & AnyObject>: Sendable {
    private let calls = Mutex<[ObjectIdentifier: Call]>([:])

    func insert(_ call: Call) { calls.withLock { $0[ObjectIdentifier(call)] = call } }

    func remove(_ call: Call) { calls.withLock { $0[ObjectIdentifier(call)] = nil } }

    func cancelAll() {
        // Cancelling leads back here, so the lock is not held meanwhile.
        for call in calls.withLock({ Array($0.values) }) { call.cancel() }
    }
}
