import MoyaTransport

/// The unfinished calls and streams of a provider, which are cancelled when the provider is released.
final class ActiveCalls: Sendable {
    private let calls = Lock(IndexedSet())

    func insert(_ call: any Indexed & Cancellable) { calls.withLock { $0.insert(call) } }

    /// Removes a call; does nothing if the call is not in the set.
    func remove(_ call: any Indexed & Cancellable) { calls.withLock { $0.remove(call) } }

    /// Cancels and removes every call; one whose request is never made would not remove itself.
    func cancelAll() {
        let all = calls.withLock { calls in
            defer { calls.removeAll() }
            return calls.all().compactMap { $0 as? any Cancellable }
        }
        // The lock is released first, because cancelling a call removes it here.
        for call in all { call.cancel() }
    }
}
