import MoyaTransport

/// The calls and streams of a provider that are not over, so that they can be ended when it is released.
final class ActiveCalls: Sendable {
    private let calls = Lock(IndexedSet())

    func insert(_ call: any Indexed & Cancellable) { calls.withLock { $0.insert(call) } }

    /// Takes a call out, if it is among these.
    func remove(_ call: any Indexed & Cancellable) { calls.withLock { $0.remove(call) } }

    /// Cancels every call and lets go of it: one whose request is never made would never leave by itself.
    func cancelAll() {
        let all = calls.withLock { calls in
            defer { calls.removeAll() }
            return calls.all().compactMap { $0 as? any Cancellable }
        }
        // Cancelling leads back here, so the lock is not held meanwhile.
        for call in all { call.cancel() }
    }
}
