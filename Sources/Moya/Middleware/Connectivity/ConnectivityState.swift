import MoyaTransport

/// The state machine of the calls that wait for a network, and the last known connectivity.
struct ConnectivityState {
    /// The next step of a call.
    enum Admission {
        case proceed
        case refuse(OfflineError)
        case wait
    }

    private enum Knowledge {
        case unknown
        case offline
        case online
        case broken(OfflineError)
    }

    /// A waiting call, which receives a network (`true`), none (`false`), or an error.
    struct Waiter {
        let end: OneShot<Result<Bool, OfflineError>>
        /// `true` if the wait also ends once there is known to be no network.
        let endsOffline: Bool
    }

    private var knowledge = Knowledge.unknown
    private var waiters: [Ticket: Waiter] = [:]

    func admission() -> Admission {
        switch knowledge {
        case .online: .proceed
        case .broken(let error): .refuse(error)
        case .unknown, .offline: .wait
        }
    }

    /// Registers a waiting call, unless its end is already known.
    mutating func add(_ waiter: Waiter, for ticket: Ticket) {
        switch knowledge {
        case .online: waiter.end.send(.success(true))
        case .broken(let error): waiter.end.send(.failure(error))
        case .offline where waiter.endsOffline: waiter.end.send(.success(false))
        case .offline, .unknown: waiters[ticket] = waiter
        }
    }

    /// Removes a call that no longer waits.
    mutating func remove(_ ticket: Ticket) { waiters[ticket] = nil }

    /// Records the connectivity; returns the waiters to resume, in the order of their calls.
    mutating func update(_ isOnline: Bool) -> [Waiter] {
        knowledge = isOnline ? .online : .offline
        return take { isOnline || $0.endsOffline }
    }

    /// Records the end of the sequence; returns the waiters to fail.
    mutating func updateEnd(_ error: OfflineError) -> [Waiter] {
        // Online at the end: a sequence with the single element `true` must not block later calls.
        if case .online = knowledge, case .sequenceEnded = error { return [] }
        knowledge = .broken(error)
        return take { _ in true }
    }

    private mutating func take(_ isTaken: (Waiter) -> Bool) -> [Waiter] {
        let taken = waiters.filter { isTaken($0.value) }
        for ticket in taken.keys { waiters[ticket] = nil }
        return taken.sorted { $0.key < $1.key }.map(\.value)
    }
}
