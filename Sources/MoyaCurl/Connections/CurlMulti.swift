#if os(Linux)
import CMoyaCurl
import MoyaTransport

/// The multi handle of one transport: its connections, TLS sessions and DNS cache, and the transfers under way on them.
///
/// `@unchecked`: the constants are set at the start; everything else belongs to the holder of the loop lock.
final class CurlMulti: @unchecked Sendable {
    let settings: CurlSettings
    let loop: CurlLoop

    /// Names these connections to the loop; 0 until it has opened them.
    private(set) var key: UInt32 = 0
    var isTouched = false
    /// `true` if the finished transfers of libcurl are being collected.
    private var isFinishing = false

    private(set) unowned(unsafe) var eventLoop: CurlEventLoop!
    private(set) var sockets: SocketTable!
    private var multi: OpaquePointer?
    private var isClosed = false

    /// Transfers under way; each knows its own place.
    private var active = IndexedSet()
    private let queues: OriginQueues
    private let connectionsPerHost: Int
    /// Queues whose servers have turned out to have streams.
    private var opened: [OriginQueue] = []
    /// Transfers whose response may be whole before the body of their request is.
    private var answered: [CurlEasy] = []
    /// Transfers whose handle is free to be used again.
    private var idle: [CurlEasy] = []
    private static let mostIdleHandles = 256

    /// The times, in nanoseconds, at which libcurl wants to be called, and at which a limit of a transfer may have
    /// passed.
    private var curlDeadline = UInt64.max
    private var transferDeadline = UInt64.max
    var nextDeadline: UInt64 { min(curlDeadline, transferDeadline) }

    init(configuration: TransportConfiguration, loop: CurlLoop) {
        settings = CurlSettings(configuration)
        self.loop = loop
        // More than libcurl counts is no limit.
        connectionsPerHost = Int(Int32(clamping: max(1, configuration.maximumConnectionsPerHost ?? 6)))
        queues = OriginQueues(
            connectionsPerHost: connectionsPerHost, httpVersions: configuration.httpVersions)
    }

    // MARK: Opening and closing

    func open(by eventLoop: CurlEventLoop, sockets: SocketTable, key: UInt32) {
        self.eventLoop = eventLoop
        self.sockets = sockets
        self.key = key
        openMulti()
    }

    /// Makes the multi handle; there is none where the process has run out of memory.
    private func openMulti() {
        guard multi == nil, !isClosed, CurlLibrary.isReady, let multi = curl_multi_init() else { return }
        self.multi = OpaquePointer(multi)
        let context = Unmanaged.passUnretained(self).toOpaque()
        moya_multi_set_callbacks(
            multi,
            { easy, socket, what, context, _ in
                CurlMulti.from(context).watch(socket, for: what, on: easy)
                return 0
            },
            { _, milliseconds, context in
                CurlMulti.from(context).setCurlTimer(milliseconds)
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
        for exchange in queues.waiting() { cancel(exchange) }
        for transfer in active.all(CurlEasy.self) { transfer.end(with: .cancelled) }
        idle.removeAll()
        if let multi { curl_multi_cleanup(UnsafeMutableRawPointer(multi)) }
        multi = nil
        curlDeadline = .max
        transferDeadline = .max
    }

    static func from(_ context: UnsafeMutableRawPointer) -> CurlMulti {
        Unmanaged<CurlMulti>.fromOpaque(context).takeUnretainedValue()
    }

    // MARK: Transfers

    /// The time after a response for which a connection most likely stays open, and the server's name stays resolved.
    private static let connectionLife: UInt64 = 30_000_000_000

    /// `true` if an exchange is the only one, and starting it most likely means writing a request to an open
    /// connection: no name is looked up, no certificate is read.
    ///
    /// Of many, the thread serves several in one tick.
    func mayStartQuickly(_ exchange: CurlExchange) -> Bool {
        guard key != 0, !isClosed, active.isEmpty, let last = queues.lastAnswer(from: exchange.request.url) else {
            return false
        }
        return eventLoop.now - last < Self.connectionLife
    }

    /// Begins an exchange, now or when those before it have left it a connection.
    func start(_ exchange: CurlExchange) {
        exchange.arrive(at: eventLoop.now)
        guard queues.admit(exchange) else { return watch(deadline: exchange.totalDeadline) }
        if let failure = begin(exchange) { end(exchange, TransportEnd(failure: failure)) }
    }

    /// Hands an exchange to libcurl; returns why that cannot be.
    private func begin(_ exchange: CurlExchange) -> TransportFailure? {
        openMulti()
        guard let multi, !isClosed, let transfer = idle.popLast() ?? CurlEasy(connections: self) else {
            return .outOfResources
        }
        var failure = transfer.begin(exchange)
        if failure == nil, curl_multi_add_handle(UnsafeMutableRawPointer(multi), transfer.easy) != CURLM_OK {
            failure = .outOfResources
        }
        if let failure {
            transfer.release()
            recycle(transfer)
            return failure
        }
        active.insert(transfer)
        watch(deadline: transfer.deadline)
        return nil
    }

    /// Hands a transfer to libcurl once more; `false` when that cannot be.
    func restart(_ transfer: CurlEasy) -> Bool {
        guard let multi else { return false }
        curl_multi_remove_handle(UnsafeMutableRawPointer(multi), transfer.easy)
        return curl_multi_add_handle(UnsafeMutableRawPointer(multi), transfer.easy) == CURLM_OK
    }

    /// Ends an exchange that no transfer has any more, and begins what has waited for that.
    func end(_ exchange: CurlExchange, _ end: TransportEnd) {
        let queue = exchange.queue.take()
        if let queue {
            queues.release(queue)
            if !queue.silentPorts.isEmpty { endSilentConnections(of: queue) }
        }
        exchange.end(end)
        if let queue { beginWaiting(in: queue) }
    }

    /// Starts the waiting exchanges of a queue, as far as there is room.
    private func beginWaiting(in queue: OriginQueue) {
        while let next = queues.next(in: queue) {
            guard let failure = next.isOverdue(at: eventLoop.now) ? next.overdue : begin(next) else { continue }
            next.queue = nil
            queues.release(queue)
            next.end(failure, metrics: next.metricsInQueue(until: eventLoop.now))
        }
    }

    /// Learns from a response whether its server has streams; exchanges that need not wait any more begin before the
    /// tick is over, because libcurl takes nothing new while it delivers.
    func record(hasStreams: Bool, at queue: OriginQueue?) {
        if let queue, queue.record(hasStreams: hasStreams) { opened.append(queue) }
    }

    /// Ends an exchange early, unless it is over.
    func cancel(_ exchange: CurlExchange, with failure: TransportFailure = .cancelled) {
        if let transfer = exchange.transfer { return transfer.end(with: failure) }
        guard exchange.isWaiting else { return }
        queues.withdraw(exchange)
        exchange.queue = nil
        exchange.end(failure, metrics: exchange.metricsInQueue(until: eventLoop.now))
    }

    /// Takes a transfer out of libcurl's hands; called by the transfer as it ends.
    func remove(_ transfer: CurlEasy) {
        guard let multi else { return }
        curl_multi_remove_handle(UnsafeMutableRawPointer(multi), transfer.easy)
        if let socket = transfer.socket { sockets.transferEnded(ObjectIdentifier(transfer), on: socket) }
        active.remove(transfer)
        if active.isEmpty, queues.waitingCount == 0 { transferDeadline = .max }
        // The timers are looked at after the finished transfers.
        if !isFinishing { eventLoop.touch(self) }
    }

    /// Keeps a transfer's handle for the next exchange.
    func recycle(_ transfer: CurlEasy) {
        if !isClosed, idle.count < Self.mostIdleHandles { idle.append(transfer) }
    }

    /// Has a transfer ended once libcurl has delivered what it has.
    func transferIsAnswered(_ transfer: CurlEasy) {
        answered.append(transfer)
        eventLoop.touch(self)
    }

    func finishTransfers() {
        guard let multi else { return }
        isFinishing = true
        defer { isFinishing = false }
        var code = CURLE_OK
        while let easy = moya_multi_next_finished(UnsafeMutableRawPointer(multi), &code) {
            CurlEasy.of(easy)?.end(code)
            if isClosed { return }
        }
        if !answered.isEmpty {
            let due = answered
            answered.removeAll()
            for transfer in due { transfer.endAnswered() }
        }
        for queue in opened { beginWaiting(in: queue) }
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

    private func watch(_ socket: Int32, for what: Int32, on easy: UnsafeMutableRawPointer) {
        let transfer = CurlEasy.of(easy)
        transfer?.connectionIsWatched(for: what)
        guard what != CURL_POLL_REMOVE else { return sockets.unwant(socket) }
        transfer?.socket = socket
        sockets.want(what, of: socket, key: key, owner: transfer.map { ObjectIdentifier($0) })
    }

    private func setCurlTimer(_ milliseconds: Int) {
        curlDeadline = milliseconds < 0 ? .max : eventLoop.now + UInt64(milliseconds) * 1_000_000
    }

    /// Ends the silent connections of a queue in which nothing waits any more: libcurl would send the next request there.
    ///
    /// As long as something does, new requests make new connections.
    private func endSilentConnections(of queue: OriginQueue) {
        let ports = Set(active.all(CurlEasy.self).compactMap(\.port))
        for port in queue.silentPorts where !ports.contains(port) {
            queue.silentPorts.remove(port)
            sockets.endConnection(onPort: port)
        }
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
            eventLoop.touch(self)
        }
    }

    /// Ends what is overdue.
    ///
    /// Activity moves no timer: a bound is looked at when it was first due, and again when the next of the bounds of
    /// that moment is.
    private func endOverdueTransfers(now: UInt64) {
        transferDeadline = .max
        var overdue: [CurlEasy] = []
        for transfer in active.all(CurlEasy.self) {
            if transfer.deadline <= now {
                overdue.append(transfer)
            } else {
                transferDeadline = min(transferDeadline, transfer.deadline)
            }
        }
        for transfer in overdue {
            if let port = transfer.silentPort { transfer.exchange?.queue?.silentPorts.insert(port) }
            transfer.endOverdue(now: now)
        }
        for exchange in queues.waiting() {
            if exchange.isOverdue(at: now) {
                cancel(exchange, with: exchange.overdue)
            } else {
                transferDeadline = min(transferDeadline, exchange.totalDeadline)
            }
        }
    }
}
#endif
