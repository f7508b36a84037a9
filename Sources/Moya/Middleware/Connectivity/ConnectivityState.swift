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

    /// The end of a wait: with a network (`true`), known to be offline (`false`), an error, or `nil` if the task is
    /// cancelled.
    typealias End = Result<Bool, OfflineError>?
    typealias Waiter = UnsafeContinuation<End, Never>

    private struct Parked {
        let waiter: Waiter
        /// `true` if the wait also ends once there is known to be no network.
        let endsOffline: Bool
    }

    private var knowledge = Knowledge.unknown
    private var waiters: [Ticket: Parked] = [:]
    /// Callers that have not been registered as waiting yet.
    private var arriving: Set<Ticket> = []
    /// Those of them that have left meanwhile.
    private var departed: [Ticket: End] = [:]

    func admission() -> Admission {
        switch knowledge {
        case .online: .proceed
        case .broken(let error): .refuse(error)
        case .unknown, .offline: .wait
        }
    }

    /// Announces a call that will be registered as waiting.
    mutating func arrive(_ ticket: Ticket) { arriving.insert(ticket) }

    /// Registers a waiting call, unless its end is already known.
    ///
    /// - Parameter endsOffline: `true` if the wait also ends once there is known to be no network.
    mutating func park(_ ticket: Ticket, _ waiter: Waiter, endsOffline: Bool) -> (isOver: Bool, end: End) {
        arriving.remove(ticket)
        if let end = departed.removeValue(forKey: ticket) { return (true, end) }
        switch knowledge {
        case .online: return (true, .success(true))
        case .broken(let error): return (true, .failure(error))
        case .offline where endsOffline: return (true, .success(false))
        case .offline, .unknown:
            waiters[ticket] = Parked(waiter: waiter, endsOffline: endsOffline)
            return (false, nil)
        }
    }

    /// Removes a call that no longer waits.
    mutating func release(_ ticket: Ticket, with end: End) -> Waiter? {
        if let parked = waiters.removeValue(forKey: ticket) { return parked.waiter }
        // The wait of any other call is over.
        if arriving.contains(ticket) { departed[ticket] = .some(end) }
        return nil
    }

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

    private mutating func take(_ isTaken: (Parked) -> Bool) -> [Waiter] {
        let taken = waiters.filter { isTaken($0.value) }
        for ticket in taken.keys { waiters[ticket] = nil }
        return taken.sorted { $0.key < $1.key }.map(\.value.waiter)
    }
}
