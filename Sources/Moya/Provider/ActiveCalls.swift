import MoyaTransport

/// A call or stream that its provider can stop.
protocol ActiveCall: Indexed, Sendable {
    /// Ends the call as cancelled, though nobody has cancelled it.
    func stop()
}

/// The unfinished calls and streams of a provider, which are stopped when the provider is released.
final class ActiveCalls: Sendable {
    private let calls = Lock(IndexedSet())

    func insert(_ call: any ActiveCall) { calls.withLock { $0.insert(call) } }

    /// Removes a call; does nothing if the call is not in the set.
    func remove(_ call: any ActiveCall) { calls.withLock { $0.remove(call) } }

    /// Stops and removes every call; one whose request is never made would not remove itself.
    func stopAll() {
        let all = calls.withLock { calls in
            defer { calls.removeAll() }
            return calls.all().compactMap { $0 as? any ActiveCall }
        }
        // The lock is released first, because stopping a call removes it here.
        for call in all { call.stop() }
    }
}
