import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The requests of a cache in flight that equal ones may join.
final class CoalescedExchanges: Sendable {
    /// The properties by which the server or the transport can distinguish two requests for a URL.
    struct Key: Hashable {
        /// The stage of the session, whose cookies and transport are its own.
        let stage: ObjectIdentifier
        let fields: [HTTPField]
        let credential: CacheCredential
        let refusedPermissions: [String]
        let mainDocumentURL: URL?
        let collectsMetrics: Bool
        let connect: Double?
        let idle: Double?

        fileprivate init(_ request: CacheRequest, of stage: ObjectIdentifier) {
            self.stage = stage
            // A dictionary of fields has another order each time.
            fields = request.http.fields.sorted { ($0.name, $0.value) < ($1.name, $1.value) }
            credential = request.credential
            refusedPermissions = request.http.urlRequest?.refusedPermissions ?? []
            mainDocumentURL = request.http.urlRequest?.mainDocumentURL
            collectsMetrics = request.http.collectsMetrics
            connect = request.http.timeouts.connect
            idle = request.http.timeouts.idle
        }
    }

    private struct State {
        /// The open exchanges of each URL.
        var exchanges: [String: [Key: CoalescedExchange]] = [:]
        /// URLs whose last response was usable for only one request.
        var unshared: Set<String> = []
    }

    private let state = Lock(State())
    private static let mostUnshared = 1024

    /// Makes a request join an equal one in flight, start an exchange that others may join, or go alone.
    ///
    /// - Parameters:
    ///   - stage: The cache stage of the request's session.
    ///   - now: The time, in seconds since 1970.
    ///   - begin: Starts the shared exchange, which has no total time limit: each caller has its own.
    func join(
        _ request: CacheRequest, _ caller: CoalescedExchangeCaller, of stage: ObjectIdentifier, at now: Double,
        begin: (CoalescedExchange) -> Void
    ) {
        enum Joining { case alone, first(CoalescedExchange), member }
        let url = request.http.url
        let key = Key(request, of: stage)
        let joining = state.withLock { state -> Joining in
            if state.exchanges[url]?[key]?.add(caller, at: now) == true { return .member }
            if state.unshared.contains(url) { return .alone }
            let exchange = CoalescedExchange(url, key, in: self, first: caller)
            // An exchange that no caller can join any more is replaced.
            state.exchanges[url, default: [:]][key] = exchange
            return .first(exchange)
        }
        switch joining {
        case .alone: return caller.goAlone()
        case .first(let exchange): begin(exchange)
        case .member: caller.drain()
        }
        caller.limit(to: request.http.timeouts.total)
    }

    /// Closes the exchanges of a URL to further requests.
    func closeAll(of url: String) { state.withLock { $0.exchanges[url] = nil } }

    /// Closes all exchanges that meet a condition on their URL to further requests.
    func closeAll(where isMeant: (String) -> Bool) {
        state.withLock { state in state.exchanges = state.exchanges.filter { !isMeant($0.key) } }
    }

    /// Records whether the last response of a URL was usable for several requests, which then share exchanges.
    func record(isReusable: Bool, of url: String) {
        state.withLock { state in
            guard !isReusable else { return _ = state.unshared.remove(url) }
            if state.unshared.count >= Self.mostUnshared { state.unshared.removeAll() }
            state.unshared.insert(url)
        }
    }

    /// Closes an exchange to further requests.
    fileprivate func close(_ exchange: CoalescedExchange) {
        let url = exchange.url
        state.withLock { state in
            guard state.exchanges[url]?[exchange.key] === exchange else { return }
            state.exchanges[url]?[exchange.key] = nil
            if state.exchanges[url]?.isEmpty == true { state.exchanges[url] = nil }
        }
    }
}

/// An exchange shared by several callers, each of which can pause and cancel separately.
///
/// A caller may join until 64 KiB of the body have arrived, if the response may be stored and is fresh.
final class CoalescedExchange: TransportSink {
    fileprivate struct State {
        /// The callers that have not left, each at its index.
        var callers: [CoalescedExchangeCaller] = []
        /// The number of callers, at the start, that are known to wait.
        var waiting = 0
        /// The caller whose request was sent, even if it has left; `nil` after the end.
        var first: CoalescedExchangeCaller?
        var isOpen = true
        /// The request in flight.
        var exchange: CacheExchange?
        /// The delivered head, and the body so far, for callers that join.
        var head: TransportResponseHead?
        var body = Data()
        var freshness: CacheFreshness?
    }

    fileprivate let url: String
    fileprivate let key: CoalescedExchanges.Key
    private let owner: CoalescedExchanges
    private let state: Lock<State>

    private static let longestBody = 64 * 1024

    fileprivate init(
        _ url: String, _ key: CoalescedExchanges.Key, in owner: CoalescedExchanges, first: CoalescedExchangeCaller
    ) {
        self.url = url
        self.key = key
        self.owner = owner
        state = Lock(State(first: first))
        state.withLock { $0.insert(first) }
        first.exchange.set(self)
    }

    /// Adds a caller, unless the exchange is closed.
    ///
    /// - Parameter now: The time, in seconds since 1970.
    func add(_ caller: CoalescedExchangeCaller, at now: Double) -> Bool {
        state.withLock { state in
            guard state.isOpen else { return false }
            if let head = state.head {
                guard let freshness = state.freshness, freshness.timeToLive(at: now) > 0 else { return false }
                caller.catchUp(head.collapsed(age: freshness.age(at: now)), state.body)
            }
            state.insert(caller)
            caller.exchange.set(self)
            return true
        }
    }

    /// Sets the exchange, before it starts.
    func carry(_ exchange: CacheExchange) { state.withLock { $0.exchange = exchange } }

    /// Decides before the delivery of the head which callers get the response.
    ///
    /// - Parameters:
    ///   - isReusable: `true` if the response is for all callers; otherwise it is for the first, if that is still there, and
    ///     the others send their own requests.
    ///   - freshness: The time for which more callers may join; `nil` for no more callers.
    func willReceiveHead(isReusable: Bool, freshness: CacheFreshness? = nil) {
        owner.record(isReusable: isReusable, of: url)
        limit(isForAll: isReusable, freshness: freshness)
    }

    /// Separates the callers that do not get the response, if it is not for all, and closes the exchange to more callers
    /// without a freshness.
    private func limit(isForAll: Bool, freshness: CacheFreshness? = nil) {
        let others = state.withLock { state -> [CoalescedExchangeCaller] in
            state.isOpen = isForAll && freshness != nil
            state.freshness = freshness
            guard !isForAll else { return [] }
            let others = state.callers.filter { $0 !== state.first }
            for other in others { state.remove(other) }
            return others
        }
        if !isForAll || freshness == nil { owner.close(self) }
        for caller in others { caller.goAlone() }
        state.withLock { $0.callers.isEmpty ? $0.exchange : nil }?.cancel()
    }

    func receive(_ event: TransportEvent) -> TransportDemand {
        if case .end(let end) = event {
            // The others have more time left.
            if case .timeout? = end.failure?.kind, state.withLock({ $0.isOpen && $0.head == nil }) {
                limit(isForAll: false)
            }
        }
        let (callers, first, isClosed) = state.withLock { state in
            (state.callers, state.first, state.record(event, longestBody: Self.longestBody))
        }
        if isClosed { owner.close(self) }
        defer { if case .end = event { release(callers) } }
        var waiting = 0
        for caller in callers where !caller.deliver(caller === first ? event : event.collapsed) { waiting += 1 }
        // Another caller may join meanwhile.
        return waiting == callers.count && waiting > 0 && allWait ? .wait : .more
    }

    /// Releases the callers, which retain the exchange and their requests.
    private func release(_ callers: [CoalescedExchangeCaller]) {
        // Released outside the lock: a caller that has left may be the last to retain user code.
        let first = state.withLock { state in
            for caller in state.callers { state.remove(caller) }
            return state.first.take()
        }
        for caller in callers { caller.exchange.set(nil) }
        withExtendedLifetime(first) {}
    }

    /// Removes a caller; removing the last one cancels the request.
    func release(_ caller: CoalescedExchangeCaller) {
        let isLast = state.withLock { state in
            state.remove(caller)
            if state.callers.isEmpty { state.isOpen = false }
            return state.callers.isEmpty
        }
        guard isLast else { return resume(caller) }
        owner.close(self)
        state.withLock { $0.exchange }?.cancel()
    }

    /// Resumes reading, once a caller has caught up.
    func resume(_ caller: CoalescedExchangeCaller) {
        state.withLock { state in
            state.wake(caller)
            return state.exchange
        }?.setPaused { allWait }
    }

    /// Stops reading, if every caller waits.
    func pauseIfAllWait() {
        if allWait { state.withLock { $0.exchange }?.setPaused { allWait } }
    }

    private var allWait: Bool { state.withLock { $0.allWait() } }
}

extension CoalescedExchange.State {
    fileprivate mutating func insert(_ caller: CoalescedExchangeCaller) {
        caller.index = callers.count
        callers.append(caller)
    }

    /// Removes a caller in constant time: others take its place.
    fileprivate mutating func remove(_ caller: CoalescedExchangeCaller) {
        wake(caller)
        guard let index = caller.index else { return }
        swap(index, callers.count - 1)
        callers.removeLast()
        caller.index = nil
    }

    /// Records that a caller may not wait any more.
    fileprivate mutating func wake(_ caller: CoalescedExchangeCaller) {
        guard let index = caller.index, index < waiting else { return }
        waiting -= 1
        swap(index, waiting)
    }

    /// `true` if every caller waits; each is asked once until it resumes.
    fileprivate mutating func allWait() -> Bool {
        while waiting < callers.count, callers[waiting].isWaiting { waiting += 1 }
        return waiting == callers.count
    }

    private mutating func swap(_ one: Int, _ other: Int) {
        callers.swapAt(one, other)
        callers[one].index = one
        callers[other].index = other
    }

    /// Keeps an event for callers that join later.
    ///
    /// - Returns: `true` if no more may join.
    fileprivate mutating func record(_ event: TransportEvent, longestBody: Int) -> Bool {
        switch event {
        case .head(let received) where isOpen: head = received
        case .chunk(let bytes) where isOpen:
            if body.count + bytes.count <= longestBody {
                body.append(contentsOf: bytes)
                return false
            }
            isOpen = false
            body = Data()
            return true
        case .end:
            isOpen = false
            exchange = nil
            return true
        default: break
        }
        return false
    }
}

extension TransportEvent {
    /// The event for a joined caller, whose head says so.
    fileprivate var collapsed: TransportEvent {
        guard case .head(let head) = self else { return self }
        return .head(head.collapsed())
    }
}

extension TransportResponseHead {
    /// The head for a caller that joined.
    ///
    /// - Parameter age: The seconds since the response was made, for a caller that joined after it arrived.
    fileprivate func collapsed(age: Double? = nil) -> TransportResponseHead {
        var fields = fields
        if let last = fields.lastIndex(where: { $0.name == CacheStatus.fieldName }),
            var status = CacheStatus(fieldValue: fields[last].value)
        {
            status.isCollapsed = true
            fields[last].value = status.description
        }
        if let age { fields.set("Age", String(age.wholeSeconds)) }
        return TransportResponseHead(status: status, version: version, fields: fields)
    }
}
