#if os(Linux)
import MoyaTransport

/// The exchanges with one origin: how many have a connection, or a stream of one, and which wait for theirs, in the order
/// in which they came.
///
/// libcurl would let them wait too, but goes through all that wait whenever a transfer ends: with many in a queue that
/// is half of what a request costs. So it is given no more requests than there may be connections, where the server is
/// known to have no streams. libcurl's own limit stays, for what is known too late and for hosts that are spelled in
/// two ways.
final class OriginQueue {
    /// The multiplexing on the connections of a queue: unknown, none or some.
    enum Streams {
        /// It may: no response has shown yet.
        case unknown
        case none
        /// It does, even if single responses come in another way: by a version that their request asked for, say.
        case some
    }

    /// The scheme and the authority, as requests spell them.
    let origin: String
    private(set) var streams: Streams
    /// The time of the server's last answer, in nanoseconds of the monotonic clock.
    var lastAnswer: UInt64?
    /// Local ports of connections on which a request has waited in vain and others still wait.
    var silentPorts: Set<Int32> = []
    /// Exchanges that were released and are not over: on connections or, where there are streams, on those.
    fileprivate(set) var underWay = 0
    private var first: CurlExchange?
    private unowned(unsafe) var last: CurlExchange?

    init(origin: String, streams: Streams) {
        self.origin = origin
        self.streams = streams
    }

    var isEmpty: Bool { first == nil }

    /// Learns from a response; `true` when those that wait need not any more.
    func record(hasStreams: Bool) -> Bool {
        if hasStreams {
            defer { streams = .some }
            return streams == .none && !isEmpty
        }
        if streams == .unknown { streams = .none }
        return false
    }

    /// `true` if another exchange may be released.
    func hasRoom(connections: Int) -> Bool { streams != .none || underWay < connections }

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

    /// Calls the closure with every exchange that waits, in order.
    func forEachWaiting(_ body: (CurlExchange) -> Void) {
        var next = first
        while let exchange = next {
            body(exchange)
            next = exchange.nextInQueue
        }
    }
}

/// The queues of all origins that a multi handle has to do with.
final class OriginQueues {
    private let connectionsPerHost: Int
    private let httpVersions: TransportConfiguration.HTTPVersions
    private var queues: [String: OriginQueue] = [:]
    /// The queue that was looked up last, which most often is the next as well.
    private var latest: OriginQueue?
    /// The number of waiting exchanges, in all queues.
    private(set) var waitingCount = 0
    /// Empty queues are kept up to here, for what is known of their servers.
    private static let mostIdleQueues = 1024

    init(connectionsPerHost: Int, httpVersions: TransportConfiguration.HTTPVersions) {
        self.connectionsPerHost = connectionsPerHost
        self.httpVersions = httpVersions
    }

    /// The number of queues.
    var count: Int { queues.count }

    /// The time of the last answer from the server of a URL.
    func lastAnswer(from url: String) -> UInt64? { queue(for: url).lastAnswer }

    /// Lets the exchange go, or has it wait; `false` when it waits.
    func admit(_ exchange: CurlExchange) -> Bool {
        let queue = queue(for: exchange.request.url)
        exchange.queue = queue
        if queue.isEmpty, queue.hasRoom(connections: connectionsPerHost) {
            queue.underWay += 1
            return true
        }
        queue.append(exchange)
        waitingCount += 1
        return false
    }

    /// Takes an exchange that waits out of its queue.
    func withdraw(_ exchange: CurlExchange) {
        guard exchange.isWaiting else { return }
        exchange.queue?.remove(exchange)
        waitingCount -= 1
    }

    /// Records that a released exchange is over.
    func release(_ queue: OriginQueue) {
        queue.underWay -= 1
        guard queue.underWay == 0, queue.isEmpty, queues.count > Self.mostIdleQueues else { return }
        queues[queue.origin] = nil
        if latest === queue { latest = nil }
    }

    /// The next exchange of the queue, if there is room for it.
    func next(in queue: OriginQueue) -> CurlExchange? {
        guard queue.hasRoom(connections: connectionsPerHost), let exchange = queue.popFirst() else { return nil }
        waitingCount -= 1
        queue.underWay += 1
        return exchange
    }

    /// Every exchange that waits, each queue in order.
    func waiting() -> [CurlExchange] {
        guard waitingCount > 0 else { return [] }
        var waiting: [CurlExchange] = []
        waiting.reserveCapacity(waitingCount)
        for queue in queues.values { queue.forEachWaiting { waiting.append($0) } }
        return waiting
    }

    private func queue(for url: String) -> OriginQueue {
        let length = Self.lengthOfOrigin(url)
        if let latest, latest.origin.utf8.count == length, url.utf8.starts(with: latest.origin.utf8) { return latest }
        let origin = String(url.utf8.prefix(length)) ?? url
        let mayHaveStreams = httpVersions.mayHaveStreams(at: origin)
        let queue = queues[origin] ?? OriginQueue(origin: origin, streams: mayHaveStreams ? .unknown : .none)
        queues[origin] = queue
        latest = queue
        return queue
    }

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
}

extension TransportConfiguration.HTTPVersions {
    /// `true` if HTTP/2 may be spoken with the server of a URL: over TLS where it is offered, else by prior knowledge alone.
    func mayHaveStreams(at url: String) -> Bool {
        switch self {
        case .http1Only: false
        case .http2WhereOffered: ASCII.hasPrefix(url, "https:")
        case .http2PriorKnowledge: !needsOwnConnection(for: url)
        }
    }

    /// `true` if a request can have no connection that another one has, or has had.
    func needsOwnConnection(for url: String) -> Bool {
        self == .http2PriorKnowledge && !CurlVersion.loaded.reusesPriorKnowledge && !ASCII.hasPrefix(url, "https:")
    }
}
#endif
