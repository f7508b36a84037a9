import MoyaTransport

/// An exchange that others carry out, one after the other: its caller cancels, pauses and resumes the latest of them.
protocol RelayedExchange: TransportExchange, OpaqueReflection {
    /// Accesses the relay under the lock of the exchange.
    func withRelay<Result: Sendable>(_ body: (inout ExchangeRelay) -> Result) -> Result
}

/// The latest exchange of a ``RelayedExchange``, and what its caller has asked for.
struct ExchangeRelay: Sendable {
    /// The number of the exchange: a handle may be returned after its exchange has ended.
    fileprivate var number = 0
    /// The handle of the exchange, once it is known.
    fileprivate(set) var handle: (any TransportExchange)?
    var isCancelled = false
    /// `true` if the caller has paused the exchange, or has not caught up with an event.
    var isPaused = false
    /// `true` while an event is held back, so that the exchange waits whatever its caller asks for.
    var isHolding = false
    /// The number of resumptions, so that the result of an event does not undo one that came meanwhile.
    fileprivate(set) var resumptions = 0

    fileprivate var waits: Bool { isPaused || isHolding }

    /// Ends the holding, before ``RelayedExchange/readOn()``.
    mutating func endHolding() {
        isHolding = false
        // A handle that is still to come is then resumed.
        resumptions += 1
    }

    /// Releases the handle, and ignores one that is still to come, since it would refer back to the relay.
    mutating func end() {
        number += 1
        handle = nil
    }
}

extension RelayedExchange {
    /// Starts the next exchange.
    ///
    /// - Parameter start: Starts it; `nil` if it cannot be started.
    /// - Returns: `true` if it was started.
    @discardableResult
    func relay(to start: () -> (any TransportExchange)?) -> Bool {
        let (number, resumptions) = withRelay { relay in
            relay.end()
            return (relay.number, relay.resumptions)
        }
        guard let handle = start() else { return false }
        let (isAsked, isCancelled) = withRelay { relay in
            // It may have ended already, and another one started.
            guard relay.number == number else { return (false, false) }
            relay.handle = handle
            return (relay.waits || relay.resumptions != resumptions, relay.isCancelled)
        }
        // The caller did not know the handle yet.
        if isAsked { setPaused(of: handle) }
        if isCancelled { handle.cancel() }
        return true
    }

    /// Records a pause or a resumption, and passes it on.
    ///
    /// - Returns: `true` if there is an exchange that got it.
    @discardableResult
    func passOn(pauses: Bool) -> Bool {
        let handle = withRelay { relay in
            relay.isPaused = pauses
            if !pauses { relay.resumptions += 1 }
            return relay.handle
        }
        if let handle { setPaused(of: handle) }
        return handle != nil
    }

    /// Resumes the exchange after an event was held back, unless its caller has paused it.
    func readOn() {
        if let handle = withRelay({ $0.handle }) { setPaused(of: handle) }
    }

    private func setPaused(of handle: any TransportExchange) { handle.setPaused { withRelay { $0.waits } } }

    func pause() { passOn(pauses: true) }

    func resume() { passOn(pauses: false) }

    func cancel() {
        withRelay { relay in
            relay.isCancelled = true
            return relay.handle
        }?.cancel()
    }
}
