import MoyaTransport

/// The state machine of the calls that wait for a network, and the last known connectivity.
struct ConnectivityState {
    /// With a network `true`, without one `false`, or the error of the sequence.
    typealias Connectivity = Result<Bool, OfflineError>

    /// A waiting call.
    struct Waiter {
        let end: OneShot<Connectivity>
        /// `true` if the wait also ends once there is known to be no network.
        let endsOffline: Bool
    }

    /// The last known connectivity; `nil` before the first element.
    private(set) var known: Connectivity?
    private var waiters: [Ticket: Waiter] = [:]

    /// Registers a waiting call, unless its end is already known.
    mutating func add(_ waiter: Waiter, for ticket: Ticket) {
        switch known {
        case .success(false) where !waiter.endsOffline, nil: waiters[ticket] = waiter
        case let known?: waiter.end.send(known)
        }
    }

    /// Removes a call that no longer waits.
    mutating func remove(_ ticket: Ticket) { waiters[ticket] = nil }

    /// Records the connectivity; returns the waiters to resume, in the order of their calls.
    mutating func update(_ isOnline: Bool) -> [Waiter] {
        known = .success(isOnline)
        return take { isOnline || $0.endsOffline }
    }

    /// Records the end of the sequence; returns the waiters to fail.
    mutating func updateEnd(_ error: OfflineError) -> [Waiter] {
        // Online at the end: a sequence with the single element `true` must not block later calls.
        if case .success(true) = known, case .sequenceEnded = error { return [] }
        known = .failure(error)
        return take { _ in true }
    }

    private mutating func take(_ isTaken: (Waiter) -> Bool) -> [Waiter] {
        let taken = waiters.filter { isTaken($0.value) }
        for ticket in taken.keys { waiters[ticket] = nil }
        return taken.sorted { $0.key < $1.key }.map(\.value)
    }
}
