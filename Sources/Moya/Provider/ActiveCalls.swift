import Synchronization

/// What is among the active calls of a provider.
protocol ActiveCall: Cancellable, AnyObject {
    /// The call's place among them, while it has one; only they look at it, under their lock.
    var place: Int? { get set }
}

/// The calls of a provider that are not over, so that they can be ended when it is released.
final class ActiveCalls<Call: ActiveCall>: Sendable {
    private let calls = Mutex<[Call]>([])

    func insert(_ call: Call) {
        calls.withLock { calls in
            call.place = calls.count
            calls.append(call)
        }
    }

    /// Takes a call out, if it is among these; the last one takes its place.
    func remove(_ call: Call) {
        calls.withLock { calls in
            guard let place = call.place, let last = calls.popLast() else { return }
            call.place = nil
            guard last !== call else { return }
            calls[place] = last
            last.place = place
        }
    }

    /// Cancels every call and lets go of it: one whose request is never made would never leave by itself.
    func cancelAll() {
        let all = calls.withLock { calls in
            defer { calls = [] }
            for call in calls { call.place = nil }
            return calls
        }
        // Cancelling leads back here, so the lock is not held meanwhile.
        for call in all { call.cancel() }
    }
}
