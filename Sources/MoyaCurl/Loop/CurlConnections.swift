#if os(Linux)
import CMoyaCurl
import MoyaTransport

/// The multi handle of one transport: its connections, TLS sessions and DNS cache, and the transfers under way on them.
///
/// `@unchecked`: the constants are set at the start; everything else belongs to whoever has the loop's turn.
final class CurlConnections: @unchecked Sendable {
    let settings: CurlSettings
    let loop: CurlLoop

    /// Names these connections to the loop; 0 until it has opened them.
    private(set) var key: UInt32 = 0
    var isTouched = false
    /// Whether what libcurl has finished is being taken from it.
    private var isFinishing = false

    private(set) unowned(unsafe) var driver: CurlDriver!
    private(set) var sockets: SocketTable!
    private var multi: OpaquePointer?
    private var isClosed = false

    /// Transfers under way; each knows its own place.
    private var active = PlacedList()
    private let lines: OriginLines
    private let connectionsPerHost: Int
    /// Lines whose servers have turned out to have streams.
    private var opened: [OriginLine] = []
    /// Transfers whose handle is free to be used again.
    private var idle: [CurlTransfer] = []
    private static let mostIdleHandles = 256

    /// When libcurl wants to be called, and when a bound of a transfer may have run out; in nanoseconds.
    private var curlDeadline = UInt64.max
    private var transferDeadline = UInt64.max
    var nextDeadline: UInt64 { min(curlDeadline, transferDeadline) }

    init(configuration: TransportConfiguration, loop: CurlLoop) {
        settings = CurlSettings(configuration)
        self.loop = loop
        connectionsPerHost = max(1, configuration.maximumConnectionsPerHost ?? 6)
        lines = OriginLines(
            connectionsPerHost: connectionsPerHost, mayUseHTTP2: configuration.httpVersions == .http2WhereOffered)
    }

    /// Local ports of connections that might have spoken HTTP/2 and did not; never more than there are ports.
    private var http1Ports: Set<UInt16> = []

    func spokeHTTP1(on port: Int32) -> Bool { http1Ports.contains(UInt16(truncatingIfNeeded: port)) }

    func note(hasStreams: Bool, on port: Int32) {
        let port = UInt16(truncatingIfNeeded: port)
        if !hasStreams { http1Ports.insert(port) } else if !http1Ports.isEmpty { http1Ports.remove(port) }
    }

    // MARK: Opening and closing

    func open(by driver: CurlDriver, sockets: SocketTable, key: UInt32) {
        self.driver = driver
        self.sockets = sockets
        self.key = key
        guard CurlLibrary.isReady, let multi = curl_multi_init() else { return }
        self.multi = OpaquePointer(multi)
        let context = Unmanaged.passUnretained(self).toOpaque()
        moya_multi_set_callbacks(
            multi,
            { _, socket, what, context, _ in
                CurlConnections.from(context).watch(socket, for: what)
                return 0
            },
            { _, milliseconds, context in
                CurlConnections.from(context).setCurlTimer(milliseconds)
                return 0
            },
            context)
        moya_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, connectionsPerHost)
        // Left to itself, libcurl keeps four for each transfer of the moment, and closes what the next burst would use.
        moya_multi_set_long(multi, CURLMOPT_MAXCONNECTS, max(256, connectionsPerHost))
        moya_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        for exchange in lines.waiting() { cancel(exchange) }
        for transfer in active.all(CurlTransfer.self) { transfer.end(with: .cancelled) }
        idle.removeAll()
        if let multi { curl_multi_cleanup(UnsafeMutableRawPointer(multi)) }
        multi = nil
        curlDeadline = .max
        transferDeadline = .max
    }

    static func from(_ context: UnsafeMutableRawPointer) -> CurlConnections {
        Unmanaged<CurlConnections>.fromOpaque(context).takeUnretainedValue()
    }

    // MARK: Transfers

    /// How long after an answer a connection is still there, most likely, and the server's name still known.
    private static let connectionLife: UInt64 = 30_000_000_000

    /// Whether an exchange is the only one, and to start it means to write a request to a connection that is there already,
    /// most likely: no name is looked up, no certificate is read.
    ///
    /// Of many, the thread serves several in one turn.
    func mayStartQuickly(_ exchange: CurlExchange) -> Bool {
        guard key != 0, !isClosed, active.isEmpty, let last = lines.lastAnswer(from: exchange.request.url) else {
            return false
        }
        return driver.now - last < Self.connectionLife
    }

    /// Begins an exchange, now or when those before it have left it a connection.
    func start(_ exchange: CurlExchange) {
        exchange.arrive(at: driver.now)
        guard lines.admit(exchange) else { return watch(deadline: exchange.totalDeadline) }
        if let failure = begin(exchange) { end(exchange, failure) }
    }

    /// Hands an exchange to libcurl; returns why that cannot be.
    private func begin(_ exchange: CurlExchange) -> TransportFailure? {
        guard let multi, !isClosed, let transfer = idle.popLast() ?? CurlTransfer(connections: self) else {
            return .outOfResources
        }
        var failure = transfer.begin(exchange)
        if failure == nil, curl_multi_add_handle(UnsafeMutableRawPointer(multi), transfer.easy) != CURLM_OK {
            failure = .outOfResources
        }
        if let failure {
            transfer.letGo()
            recycle(transfer)
            return failure
        }
        active.insert(transfer)
        watch(deadline: transfer.deadline)
        return nil
    }

    /// Hands a transfer to libcurl once more; `false` when that cannot be.
    func restart(_ transfer: CurlTransfer) -> Bool {
        guard let multi else { return false }
        curl_multi_remove_handle(UnsafeMutableRawPointer(multi), transfer.easy)
        return curl_multi_add_handle(UnsafeMutableRawPointer(multi), transfer.easy) == CURLM_OK
    }

    /// Ends an exchange that no transfer has any more, and begins what has waited for that.
    func end(_ exchange: CurlExchange, _ failure: TransportFailure?, metrics: TransportMetrics? = nil) {
        let line = exchange.line.take()
        if let line { lines.leave(line) }
        exchange.end(failure, metrics: metrics)
        if let line { beginWaiting(in: line) }
    }

    /// Begins what waits in a line, as far as there is room.
    private func beginWaiting(in line: OriginLine) {
        while let next = lines.next(in: line) {
            guard let failure = next.isOverdue(at: driver.now) ? next.overdue : begin(next) else { continue }
            next.line = nil
            lines.leave(line)
            next.end(failure, metrics: next.metricsInLine(until: driver.now))
        }
    }

    /// Learns from a response whether its server has streams; what need not wait any more begins before the turn is over, for
    /// libcurl takes nothing new while it delivers.
    func learn(hasStreams: Bool, at line: OriginLine?) {
        if let line, line.learn(hasStreams: hasStreams) { opened.append(line) }
    }

    /// Ends an exchange early, unless it is over.
    func cancel(_ exchange: CurlExchange, with failure: TransportFailure = .cancelled) {
        if let transfer = exchange.transfer { return transfer.end(with: failure) }
        guard exchange.isWaiting else { return }
        lines.withdraw(exchange)
        exchange.line = nil
        exchange.end(failure, metrics: exchange.metricsInLine(until: driver.now))
    }

    /// Takes a transfer out of libcurl's hands; called by the transfer as it ends.
    func remove(_ transfer: CurlTransfer) {
        guard let multi else { return }
        curl_multi_remove_handle(UnsafeMutableRawPointer(multi), transfer.easy)
        active.remove(transfer)
        if active.isEmpty, lines.waitingCount == 0 { transferDeadline = .max }
        // Where finished transfers are looked at, the timers are looked at next.
        if !isFinishing { driver.touch(self) }
    }

    /// Keeps a transfer's handle for the next exchange.
    func recycle(_ transfer: CurlTransfer) {
        if !isClosed, idle.count < Self.mostIdleHandles { idle.append(transfer) }
    }

    func finishTransfers() {
        guard let multi else { return }
        isFinishing = true
        defer { isFinishing = false }
        var code = CURLE_OK
        while let easy = moya_multi_next_finished(UnsafeMutableRawPointer(multi), &code) {
            CurlTransfer.of(easy)?.end(code)
            if isClosed { return }
        }
        for line in opened { beginWaiting(in: line) }
        opened.removeAll()
    }

    // MARK: Sockets and timers

    func socketIsReady(_ socket: Int32, events: UInt32) {
        guard let multi else { return }
        var mask: Int32 = 0
        if events & EPOLLIN.rawValue != 0 { mask |= CURL_CSELECT_IN }
        if events & EPOLLOUT.rawValue != 0 { mask |= CURL_CSELECT_OUT }
        if events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { mask |= CURL_CSELECT_ERR }
        var running: Int32 = 0
        curl_multi_socket_action(UnsafeMutableRawPointer(multi), socket, mask, &running)
    }

    private func watch(_ socket: Int32, for what: Int32) {
        if what == CURL_POLL_REMOVE { sockets.unwant(socket) } else { sockets.want(what, of: socket, key: key) }
    }

    private func setCurlTimer(_ milliseconds: Int) {
        curlDeadline = milliseconds < 0 ? .max : driver.now + UInt64(milliseconds) * 1_000_000
    }

    func connectionMade(_ socket: Int32) { sockets.connectionMade(socket) }

    func connectionClosed(_ socket: Int32) { sockets.connectionClosed(socket) }

    func runDueTimers(now: UInt64) {
        if curlDeadline <= now, let multi {
            curlDeadline = .max
            var running: Int32 = 0
            curl_multi_socket_action(UnsafeMutableRawPointer(multi), CURL_SOCKET_TIMEOUT, 0, &running)
        }
        if transferDeadline <= now { endOverdueTransfers(now: now) }
    }

    /// Has the transfers' bounds looked at no later than that.
    func watch(deadline: UInt64) {
        if deadline < transferDeadline {
            transferDeadline = deadline
            driver.touch(self)
        }
    }

    /// Ends what is overdue.
    ///
    /// Activity moves no timer: a bound is looked at when it was first due, and again when the next of the bounds of
    /// that moment is.
    private func endOverdueTransfers(now: UInt64) {
        transferDeadline = .max
        var overdue: [CurlTransfer] = []
        for transfer in active.all(CurlTransfer.self) {
            if transfer.deadline <= now {
                overdue.append(transfer)
            } else {
                transferDeadline = min(transferDeadline, transfer.deadline)
            }
        }
        for transfer in overdue { transfer.endOverdue(now: now) }
        for exchange in lines.waiting() {
            if exchange.isOverdue(at: now) {
                cancel(exchange, with: exchange.overdue)
            } else {
                transferDeadline = min(transferDeadline, exchange.totalDeadline)
            }
        }
    }
}
#endif
