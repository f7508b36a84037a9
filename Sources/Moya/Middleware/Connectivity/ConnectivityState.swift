import MoyaTransport

/// The calls that wait for a network, and the last known state of it: decisions without waiting.
struct ConnectivityState {
    /// The next step of a call that wants to be made.
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

    /// The end of a wait: with a network, an error, or `nil` when the task is cancelled.
    typealias End = Result<Void, OfflineError>?
    typealias Waiter = UnsafeContinuation<End, Never>

    private var knowledge = Knowledge.unknown
    private var waiters: [Ticket: Waiter] = [:]
    /// Callers that left before they were registered as waiting.
    private var departed: [Ticket: End] = [:]

    func admission() -> Admission {
        switch knowledge {
        case .online: .proceed
        case .broken(let error): .refuse(error)
        case .unknown, .offline: .wait
        }
    }

    /// Lets a call wait, unless it is known by now how that ends.
    mutating func park(_ ticket: Ticket, _ waiter: Waiter) -> (isOver: Bool, end: End) {
        if let end = departed.removeValue(forKey: ticket) { return (true, end) }
        switch admission() {
        case .proceed: return (true, .success(()))
        case .refuse(let error): return (true, .failure(error))
        case .wait:
            waiters[ticket] = waiter
            return (false, nil)
        }
    }

    /// Takes out a call that does not wait any longer.
    mutating func release(_ ticket: Ticket, with end: End) -> Waiter? {
        if let waiter = waiters.removeValue(forKey: ticket) { return waiter }
        departed[ticket] = .some(end)
        return nil
    }

    /// Forgets that a call has left, once its wait has ended.
    mutating func forget(_ ticket: Ticket) { departed.removeValue(forKey: ticket) }

    /// Learns whether there is a network; gives those who waited for it, in the order of their calls.
    mutating func update(_ isOnline: Bool) -> [Waiter] {
        knowledge = isOnline ? .online : .offline
        return isOnline ? takeAll() : []
    }

    /// Learns that nothing more will be said; gives those who have waited in vain.
    mutating func updateEnd(_ error: OfflineError) -> [Waiter] {
        // Online at the last: the end of a sequence of one element is no reason to make no more calls.
        if case .online = knowledge, case .sequenceEnded = error { return [] }
        knowledge = .broken(error)
        return takeAll()
    }

    private mutating func takeAll() -> [Waiter] {
        defer { waiters = [:] }
        return waiters.sorted { $0.key < $1.key }.map(\.value)
    }
}
