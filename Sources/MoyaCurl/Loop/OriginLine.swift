#if os(Linux)
import MoyaTransport

/// The exchanges with one origin: how many have a connection, or a stream of one, and which wait for theirs, in the order
/// in which they came.
///
/// libcurl would let them wait too, but goes through all that wait whenever a transfer ends: with many in line that is
/// half of what a request costs. So it is given no more requests than there may be connections, where the server is known
/// to have no streams. libcurl's own limit stays, for what is known too late and for hosts that are spelled in two ways.
final class OriginLine {
    /// Whether a connection carries several requests at once.
    enum Streams {
        /// It may: no response has told yet.
        case unknown
        case none
        /// It does, even if single responses come in another way: by a version that their request asked for, say.
        case some
    }

    /// The scheme and the authority, as requests spell them.
    let origin: String
    private(set) var streams: Streams
    /// When the server has last answered, in nanoseconds of the monotonic clock.
    var lastAnswer: UInt64?
    /// Exchanges that were let go and are not over: on connections or, where there are streams, on those.
    fileprivate(set) var underWay = 0
    private var first: CurlExchange?
    private unowned(unsafe) var last: CurlExchange?

    init(origin: String, streams: Streams) {
        self.origin = origin
        self.streams = streams
    }

    var isEmpty: Bool { first == nil }

    /// Learns from a response; `true` when those that wait need not any more.
    func learn(hasStreams: Bool) -> Bool {
        if hasStreams {
            defer { streams = .some }
            return streams == .none && !isEmpty
        }
        if streams == .unknown { streams = .none }
        return false
    }

    /// Whether another exchange may be let go.
    func hasRoom(connections: Int) -> Bool { streams != .none || underWay < connections }

    func append(_ exchange: CurlExchange) {
        exchange.isWaiting = true
        exchange.previousInLine = last
        if let last { last.nextInLine = exchange } else { first = exchange }
        last = exchange
    }

    func popFirst() -> CurlExchange? {
        guard let exchange = first else { return nil }
        remove(exchange)
        return exchange
    }

    func remove(_ exchange: CurlExchange) {
        guard exchange.isWaiting else { return }
        let (previous, next) = (exchange.previousInLine, exchange.nextInLine)
        if let previous { previous.nextInLine = next } else { first = next }
        if let next { next.previousInLine = previous } else { last = previous }
        exchange.previousInLine = nil
        exchange.nextInLine = nil
        exchange.isWaiting = false
    }

    /// Calls the closure with every exchange that waits, in order.
    func forEachWaiting(_ body: (CurlExchange) -> Void) {
        var next = first
        while let exchange = next {
            body(exchange)
            next = exchange.nextInLine
        }
    }
}

/// The lines of all origins that a multi handle has to do with.
final class OriginLines {
    private let connectionsPerHost: Int
    private let mayUseHTTP2: Bool
    private var lines: [String: OriginLine] = [:]
    /// The line that was asked for last, which most often is the next as well.
    private var latest: OriginLine?
    /// How many exchanges wait, in all lines.
    private(set) var waitingCount = 0
    /// Lines of nobody are kept up to here, for what is known of their servers.
    private static let mostIdleLines = 1024

    init(connectionsPerHost: Int, mayUseHTTP2: Bool) {
        self.connectionsPerHost = connectionsPerHost
        self.mayUseHTTP2 = mayUseHTTP2
    }

    /// How many lines are known.
    var count: Int { lines.count }

    /// When the server of a URL has last answered.
    func lastAnswer(from url: String) -> UInt64? { line(for: url).lastAnswer }

    /// Lets the exchange go, or has it wait; `false` when it waits.
    func admit(_ exchange: CurlExchange) -> Bool {
        let line = line(for: exchange.request.url)
        exchange.line = line
        if line.isEmpty, line.hasRoom(connections: connectionsPerHost) {
            line.underWay += 1
            return true
        }
        line.append(exchange)
        waitingCount += 1
        return false
    }

    /// Takes an exchange that waits out of its line.
    func withdraw(_ exchange: CurlExchange) {
        guard exchange.isWaiting else { return }
        exchange.line?.remove(exchange)
        waitingCount -= 1
    }

    /// Notes that an exchange that was let go is over.
    func leave(_ line: OriginLine) {
        line.underWay -= 1
        guard line.underWay == 0, line.isEmpty, lines.count > Self.mostIdleLines else { return }
        lines[line.origin] = nil
        if latest === line { latest = nil }
    }

    /// The exchange of the line whose turn it is, if there is room for it.
    func next(in line: OriginLine) -> CurlExchange? {
        guard line.hasRoom(connections: connectionsPerHost), let exchange = line.popFirst() else { return nil }
        waitingCount -= 1
        line.underWay += 1
        return exchange
    }

    /// Every exchange that waits, each line in order.
    func waiting() -> [CurlExchange] {
        guard waitingCount > 0 else { return [] }
        var waiting: [CurlExchange] = []
        waiting.reserveCapacity(waitingCount)
        for line in lines.values { line.forEachWaiting { waiting.append($0) } }
        return waiting
    }

    private func line(for url: String) -> OriginLine {
        let length = Self.lengthOfOrigin(url)
        if let latest, latest.origin.utf8.count == length, url.utf8.starts(with: latest.origin.utf8) { return latest }
        let origin = String(url.utf8.prefix(length)) ?? url
        // HTTP/2 is spoken over TLS alone.
        let mayHaveStreams = mayUseHTTP2 && ASCII.hasPrefix(origin, "https:")
        let line = lines[origin] ?? OriginLine(origin: origin, streams: mayHaveStreams ? .unknown : .none)
        lines[origin] = line
        latest = line
        return line
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
#endif
