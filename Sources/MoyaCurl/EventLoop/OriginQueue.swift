#if os(Linux)
import Glibc
import MoyaTransport

/// The exchanges with one origin: the number that have a connection or a stream, and a first-in, first-out queue of
/// those that wait.
///
/// libcurl could queue them too, but iterates over all waiting transfers whenever one ends: with a long queue that is
/// half of the cost of a request. So libcurl receives no more requests than there may be connections, if the server is
/// known to support no streams. libcurl's own limit remains, for servers found too late to have none and for hosts with
/// two spellings.
///
/// If the server may support streams, one exchange connects and the others wait: many streams on one connection are
/// better than a connection for each. In libcurl (before 8.14) they would wait behind those for other hosts, and each
/// would begin its limit of connecting when the previous one's has passed.
final class OriginQueue {
    /// The multiplexing on the connections of a queue: unknown, unsupported or supported.
    enum Streams {
        /// The server may support it: no response has arrived yet.
        case unknown
        case none
        /// The server supports it, even if single responses arrive otherwise: for example in a version that their
        /// request selected.
        case some
    }

    /// The connections to an origin whose exchanges share them.
    enum Reach {
        /// The first exchange connects.
        case connecting
        /// A connection could be made.
        case reached
        /// The first exchange could not connect, so that the others do not wait for each other.
        case failing
    }

    /// The scheme and the authority, as requests spell them.
    let origin: String
    private(set) var streams: Streams
    /// `true` if exchanges share connections.
    private let isShared: Bool
    fileprivate(set) var reach = Reach.connecting
    /// The time since which there has been no connection, once one is being made.
    fileprivate(set) var connectingSince: UInt64?
    /// The time of the server's last response, in nanoseconds of the monotonic clock.
    var lastAnswer: UInt64?
    /// Connections on which a request was not answered and other requests still wait.
    var silentConnections: Set<ConnectionID> = []
    /// The time of a request that a connection without streams left without a byte: those that were used only before may
    /// be dead, too.
    var silentSince: UInt64 = 0
    /// The number of released exchanges that have not ended, each with a connection or a stream.
    fileprivate(set) var underWay = 0
    fileprivate var first: CurlExchange?
    private unowned(unsafe) var last: CurlExchange?

    init(origin: String, streams: Streams, isShared: Bool = true) {
        self.origin = origin
        self.streams = streams
        self.isShared = isShared
    }

    /// `true` if waiting exchanges wait for the first connection, or for its failure.
    var isConnecting: Bool { isShared && streams != .none && reach != .reached }

    var isEmpty: Bool { first == nil }

    /// `true` if the URL belongs to this origin.
    func isOrigin(of url: UnsafeBufferPointer<UInt8>) -> Bool {
        origin.utf8.withContiguousStorageIfAvailable { origin in
            guard url.count >= origin.count, let start = url.baseAddress, let known = origin.baseAddress,
                memcmp(start, known, origin.count) == 0
            else { return false }
            return url.count == origin.count || OriginQueues.endsOrigin(url[origin.count])
        } ?? false
    }

    /// Records from a response whether streams are supported; `true` if waiting exchanges need not wait any more.
    func record(hasStreams: Bool) -> Bool {
        if hasStreams {
            defer { streams = .some }
            return streams == .none && !isEmpty
        }
        if streams == .unknown { streams = .none }
        return false
    }

    /// `true` if a connection to the origin has, or had, streams.
    var hasHadStreams: Bool { streams == .some }

    /// `true` if an exchange waits for a connection that is being made, instead of making another one.
    var waitsForStreams: Bool { streams != .none && reach != .failing && !(reach == .connecting && underWay > 1) }

    /// The time for which a connection that is being made holds the others back, in nanoseconds.
    private static let patience: UInt64 = 2_000_000_000

    /// The time at which one more exchange may try to connect, since the handshakes under way may hang.
    var nextTry: UInt64 {
        guard isConnecting, reach == .connecting, underWay > 0, let connectingSince else { return .max }
        return connectingSince &+ Self.patience &* UInt64(underWay)
    }

    /// Records that a connection could be made; `true` if exchanges waited for it.
    func recordConnection() -> Bool {
        defer {
            reach = .reached
            connectingSince = nil
        }
        return isConnecting && !isEmpty
    }

    /// Records that an exchange has failed, which without a connection was the attempt to make one.
    func recordFailure() {
        if reach == .connecting { reach = .failing }
    }

    /// `true` if another exchange may be released.
    func hasRoom(connections: Int, at now: UInt64) -> Bool {
        guard isConnecting else { return streams != .none || underWay < connections }
        return underWay == 0 || underWay < connections && (reach == .failing || nextTry <= now)
    }

    /// Counts an exchange as released.
    fileprivate func take(at now: UInt64) {
        underWay += 1
        if reach != .reached, connectingSince == nil { connectingSince = now }
    }

    /// Counts an exchange as ended.
    fileprivate func giveBack() {
        underWay -= 1
        // The connections may be closed before the next exchange, unless others go on.
        guard underWay == 0, reach == .reached || isEmpty else { return }
        reach = .connecting
        connectingSince = nil
    }

    func append(_ exchange: CurlExchange) {
        exchange.isWaiting = true
        exchange.previousInQueue = last
        if let last { last.nextInQueue = exchange } else { first = exchange }
        last = exchange
    }

    func popFirst() -> CurlExchange? {
        guard let exchange = first else { return nil }
        remove(exchange)
        return exchange
    }

    func remove(_ exchange: CurlExchange) {
        guard exchange.isWaiting else { return }
        let (previous, next) = (exchange.previousInQueue, exchange.nextInQueue)
        if let previous { previous.nextInQueue = next } else { first = next }
        if let next { next.previousInQueue = previous } else { last = previous }
        exchange.previousInQueue = nil
        exchange.nextInQueue = nil
        exchange.isWaiting = false
    }
}

/// The queues of all origins that a multi handle uses.
final class OriginQueues {
    private let connectionsPerHost: Int
    private let httpVersions: TransportConfiguration.HTTPVersions
    private let isShared: Bool
    private var queues: [String: OriginQueue] = [:]
    /// The queue that was looked up last, which usually is the next one as well.
    private var latest: OriginQueue?
    /// The number of waiting exchanges, in all queues.
    private(set) var waitingCount = 0
    /// Up to this number, empty queues are kept for their knowledge of servers.
    private static let mostIdleQueues = 1024

    /// - Parameter isShared: `true` if exchanges share connections.
    init(connectionsPerHost: Int, httpVersions: TransportConfiguration.HTTPVersions, isShared: Bool = true) {
        self.connectionsPerHost = connectionsPerHost
        self.httpVersions = httpVersions
        self.isShared = isShared
    }

    /// The number of queues.
    var count: Int { queues.count }

    /// The time of the last response from the server of a URL.
    func lastAnswer(from url: String) -> UInt64? { knownQueue(for: url)?.lastAnswer }

    /// `true` unless the server of a URL is known to support no streams.
    func mayHaveStreams(at url: String) -> Bool {
        knownQueue(for: url).map { $0.streams != .none } ?? httpVersions.mayHaveStreams(at: url)
    }

    /// Releases the exchange or queues it; `false` if it has to wait.
    func admit(_ exchange: CurlExchange, at now: UInt64 = 0) -> Bool {
        let queue = queue(for: exchange.request.url)
        exchange.queue = queue
        if queue.isEmpty, queue.hasRoom(connections: connectionsPerHost, at: now) {
            queue.take(at: now)
            return true
        }
        queue.append(exchange)
        waitingCount += 1
        return false
    }

    /// Removes a waiting exchange from its queue.
    func withdraw(_ exchange: CurlExchange) {
        guard exchange.isWaiting else { return }
        exchange.queue?.remove(exchange)
        waitingCount -= 1
    }

    /// Records the end of a released exchange.
    func release(_ queue: OriginQueue) {
        queue.giveBack()
        guard queue.underWay == 0, queue.isEmpty, queues.count > Self.mostIdleQueues else { return }
        queues[queue.origin] = nil
        if latest === queue { latest = nil }
    }

    /// The next exchange of the queue, if there is capacity for it.
    func next(in queue: OriginQueue, at now: UInt64 = 0) -> CurlExchange? {
        guard queue.hasRoom(connections: connectionsPerHost, at: now), let exchange = queue.popFirst() else {
            return nil
        }
        waitingCount -= 1
        queue.take(at: now)
        return exchange
    }

    /// Every waiting exchange, in the order of its queue.
    func waiting() -> [CurlExchange] {
        guard waitingCount > 0 else { return [] }
        var waiting: [CurlExchange] = []
        waiting.reserveCapacity(waitingCount)
        for queue in queues.values {
            if let first = queue.first { waiting += sequence(first: first, next: \.nextInQueue) }
        }
        return waiting
    }

    private func queue(for url: String) -> OriginQueue {
        if let known = knownQueue(for: url) { return known }
        let origin = Self.origin(of: url)
        let streams: OriginQueue.Streams = httpVersions.mayHaveStreams(at: origin) ? .unknown : .none
        let queue = OriginQueue(origin: origin, streams: streams, isShared: isShared)
        queues[origin] = queue
        latest = queue
        return queue
    }

    /// The queue of a URL's origin, if it exists.
    ///
    /// A queue is made only for an exchange, at whose end it can be removed.
    private func knownQueue(for url: String) -> OriginQueue? {
        var url = url
        if let latest, url.withUTF8(latest.isOrigin) { return latest }
        guard let queue = queues[Self.origin(of: url)] else { return nil }
        latest = queue
        return queue
    }

    static func origin(of url: String) -> String { String(url.utf8.prefix(lengthOfOrigin(url))) ?? url }

    /// The length of a URL up to its path, its query, or its end.
    private static func lengthOfOrigin(_ url: String) -> Int {
        var slashes = 0
        var length = 0
        for byte in url.utf8 {
            if byte == UInt8(ascii: "/") { slashes += 1 }
            if slashes == 3 || byte == UInt8(ascii: "?") { break }
            length += 1
        }
        return length
    }

    /// `true` if a byte that follows a scheme and an authority ends them.
    fileprivate static func endsOrigin(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") }
}

extension TransportConfiguration.HTTPVersions {
    /// `true` if the server of a URL may use HTTP/2: over TLS if offered, otherwise only by prior knowledge.
    func mayHaveStreams(at url: String) -> Bool {
        switch self {
        case .http1Only: false
        case .http2WhereOffered: ASCII.hasPrefix(url, "https:")
        case .http2PriorKnowledge: !needsOwnConnection(for: url)
        }
    }

    /// `true` if a request cannot share or reuse a connection.
    func needsOwnConnection(for url: String) -> Bool {
        self == .http2PriorKnowledge && !CurlVersion.loaded.reusesPriorKnowledge && !ASCII.hasPrefix(url, "https:")
    }
}
#endif
