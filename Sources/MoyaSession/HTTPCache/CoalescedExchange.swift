import MoyaTransport

/// The requests of a cache in flight that equal ones may join.
final class CoalescedExchanges: Sendable {
    private struct State {
        var exchanges: [String: [(request: HTTPRequest, deadline: Deadline?, exchange: CoalescedExchange)]] = [:]
        /// URLs whose last response was usable for only one request.
        var unshared: Set<String> = []
    }

    private let state = Lock(State())
    private static let mostUnshared = 1024

    /// Makes a request join an equal one that waits for its head, or start an exchange that others may join.
    ///
    /// - Parameters:
    ///   - deadline: The end of the request's total limit.
    ///   - begin: Starts the shared exchange.
    ///   - alone: Starts an exchange for one caller.
    func join(
        _ request: HTTPRequest, _ sink: any TransportSink, _ deadline: Deadline?, begin: (CoalescedExchange) -> Void,
        alone: @escaping @Sendable (any TransportSink) -> any TransportExchange
    ) -> any TransportExchange {
        enum Joining { case alone, first(CoalescedExchange), member }
        let caller = CoalescedCaller(sink: sink, alone: alone)
        let joining = state.withLock { state -> Joining in
            let equal = state.exchanges[request.url, default: []].filter {
                Self.areEqual($0.request, request) && Self.suits(request.timeouts.total, $0.request, $0.deadline)
            }
            for (_, _, exchange) in equal where exchange.add(caller) { return .member }
            if state.unshared.contains(request.url) { return .alone }
            let exchange = CoalescedExchange(request.url, in: self, first: caller)
            var key = request
            key.delegate = nil
            key.urlRequest = nil
            state.exchanges[request.url, default: []].append((key, deadline, exchange))
            return .first(exchange)
        }
        switch joining {
        case .alone: return alone(sink)
        case .first(let exchange): begin(exchange)
        case .member: break
        }
        return caller
    }

    /// `true` if neither the server nor the transport can distinguish the requests; equal fields imply equal
    /// credentials.
    private static func areEqual(_ one: HTTPRequest, _ other: HTTPRequest) -> Bool {
        one.fields == other.fields && one.collectsMetrics == other.collectsMetrics
            && one.timeouts.connect == other.timeouts.connect && one.timeouts.idle == other.timeouts.idle
    }

    /// `true` if a caller's total limit ends no earlier than that of an exchange in flight, and is not longer.
    ///
    /// A session states the time that is left, so equal limits differ by the time that passed since they were made.
    private static func suits(_ total: Double?, _ first: HTTPRequest, _ deadline: Deadline?) -> Bool {
        guard let total, let limit = first.timeouts.total, let deadline else {
            return total == nil && first.timeouts.total == nil
        }
        return total >= deadline.secondsLeft() - imprecision && total <= limit + imprecision
    }

    /// The seconds between the two readings of a clock of one call.
    private static let imprecision = 0.1

    /// Closes the exchanges of a URL to further requests.
    func closeAll(of url: String) { state.withLock { $0.exchanges[url] = nil } }

    /// Closes an exchange to further requests.
    func close(_ exchange: CoalescedExchange, of url: String, isShared: Bool = true) {
        state.withLock { state in
            state.exchanges[url]?.removeAll { $0.exchange === exchange }
            if state.exchanges[url]?.isEmpty == true { state.exchanges[url] = nil }
            guard !isShared else { return _ = state.unshared.remove(url) }
            if state.unshared.count >= Self.mostUnshared { state.unshared.removeAll() }
            state.unshared.insert(url)
        }
    }
}

/// An exchange shared by several callers, each of which can pause and cancel separately.
final class CoalescedExchange: TransportSink {
    private struct State {
        var callers: [CoalescedCaller]
        var isOpen = true
        /// The request in flight.
        var exchange: CacheExchange?
        var isCancelled = false
    }

    private let url: String
    private let owner: CoalescedExchanges
    private let state: Lock<State>

    init(_ url: String, in owner: CoalescedExchanges, first: CoalescedCaller) {
        self.url = url
        self.owner = owner
        state = Lock(State(callers: [first]))
        first.exchange.set(self)
    }

    /// Adds a caller, unless the head has arrived.
    func add(_ caller: CoalescedCaller) -> Bool {
        state.withLock { state in
            guard state.isOpen else { return false }
            state.callers.append(caller)
            caller.exchange.set(self)
            return true
        }
    }

    /// Sets the exchange, before it starts.
    func carry(_ exchange: CacheExchange) { state.withLock { $0.exchange = exchange } }

    /// Closes the exchange before its head is delivered.
    ///
    /// - Parameter isReusable: `true` if the response is for all callers; otherwise all but the first send their own
    ///   requests.
    func willReceiveHead(isReusable: Bool) {
        let others = state.withLock { state -> [CoalescedCaller] in
            state.isOpen = false
            guard !isReusable, state.callers.count > 1 else { return [] }
            defer { state.callers.removeSubrange(1...) }
            return Array(state.callers[1...])
        }
        owner.close(self, of: url, isShared: isReusable)
        for caller in others { caller.goAlone() }
    }

    func receive(_ event: TransportEvent) -> TransportDemand {
        if case .end(let end) = event {
            // A later request has more time left.
            if case .timeout? = end.failure?.kind, state.withLock({ $0.isOpen }) { willReceiveHead(isReusable: false) }
            state.withLock { state in
                state.isOpen = false
                state.exchange = nil
            }
            owner.close(self, of: url, isShared: true)
        }
        let callers = state.withLock { $0.callers }
        defer { if case .end = event { release(callers) } }
        if callers.count == 1 { return callers[0].deliver(event) ? .more : .wait }
        var waiting = 0
        var isOverfull = false
        for (index, caller) in callers.enumerated() {
            let isReady = caller.deliver(index == 0 ? event : event.collapsed)
            if caller.isOverfull { isOverfull = true }
            if !isReady { waiting += 1 }
        }
        return isOverfull || waiting == callers.count && waiting > 0 ? .wait : .more
    }

    /// Releases the callers, which retain the exchange and their requests.
    private func release(_ callers: [CoalescedCaller]) {
        state.withLock { $0.callers = [] }
        for caller in callers { caller.exchange.set(nil) }
    }

    /// Removes a caller; removing the last one cancels the request.
    func leave(_ caller: CoalescedCaller) {
        let exchange = state.withLock { state -> CacheExchange? in
            state.callers.removeAll { $0 === caller }
            guard state.callers.isEmpty else { return nil }
            state.isOpen = false
            return state.exchange
        }
        guard let exchange else { return }
        owner.close(self, of: url)
        exchange.cancel()
    }

    /// Resumes reading, once a caller has caught up.
    func resume() { state.withLock { $0.exchange }?.resume() }

    /// Stops reading, if every caller waits.
    func pauseIfAllWait() {
        let (exchange, callers) = state.withLock { ($0.exchange, $0.callers) }
        if callers.allSatisfy(\.isWaiting) { exchange?.pause() }
    }
}

extension TransportEvent {
    /// The event for a joined caller, whose head says so.
    fileprivate var collapsed: TransportEvent {
        guard case .head(let head) = self else { return self }
        var fields = head.fields
        guard let last = fields.lastIndex(where: { $0.name == CacheStatus.fieldName }),
            var status = CacheStatus(fieldValue: fields[last].value)
        else { return self }
        status.isCollapsed = true
        fields[last].value = status.description
        return .head(TransportResponseHead(status: head.status, version: head.version, fields: fields))
    }
}
