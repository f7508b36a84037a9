#if os(Linux)
import CMoyaCurl
import Glibc
import MoyaTransport

/// The multi handle of one transport on one loop, with its connections, TLS sessions, looked-up addresses and active
/// transfers.
///
/// `@unchecked`: the constants are set in the initializer; everything else is protected by the loop lock.
final class CurlMulti: @unchecked Sendable {
    let settings: CurlSettings
    let loop: CurlLoop
    /// Records the end of an exchange, where a transport has several loops.
    let release: @Sendable (HTTPRequest) -> Void
    /// The multi handle for streamed responses over HTTP/2; `nil` until the first.
    private(set) var multiOfStreams: CurlMulti?
    /// `true` if each transfer should have its own connection.
    let isolatesTransfers: Bool

    /// Identifies this multi handle to the loop; 0 until the loop has opened it.
    private(set) var key: UInt32 = 0
    var isTouched = false
    /// `true` while libcurl's finished transfers are being collected.
    private var isFinishing = false

    private(set) unowned(unsafe) var eventLoop: CurlEventLoop!
    private(set) var sockets: SocketTable!
    private var handle: UnsafeMutableRawPointer?
    private(set) var isClosed = false
    /// `true` if transfers may share connections; `nil` before the multi handle is open.
    private var isShared: Bool?

    /// Active transfers; each stores its index.
    @exclusivity(unchecked) private(set) var active = IndexedSet()
    let queues: OriginQueues
    private let connectionsPerHost: Int
    /// Queues whose exchanges need not wait any more.
    @exclusivity(unchecked) private var opened: [OriginQueue] = []
    /// Transfers that may end without libcurl: answered before their request body is sent, or without events.
    @exclusivity(unchecked) private var dueToEnd: [CurlEasy] = []
    /// Transfers whose handle can be reused.
    @exclusivity(unchecked) private var idle: [CurlEasy] = []
    private static let mostIdleHandles = 256

    /// The times, in nanoseconds, at which libcurl is due to be called, and at which a transfer's limit may have
    /// passed.
    private var curlDeadline = UInt64.max
    private var transferDeadline = UInt64.max
    private var checks = DeadlineChecks()
    var nextDeadline: UInt64 { min(curlDeadline, transferDeadline) }

    /// - Parameters:
    ///   - connectionsPerHost: 1 or more, in the range of `Int32`.
    ///   - isolatesTransfers: `true` if transfers share connections only beyond that number.
    init(
        settings: CurlSettings, connectionsPerHost: Int, loop: CurlLoop,
        isolatesTransfers: Bool = false, release: @escaping @Sendable (HTTPRequest) -> Void = { _ in }
    ) {
        self.settings = settings
        self.connectionsPerHost = connectionsPerHost
        self.loop = loop
        self.release = release
        self.isolatesTransfers = isolatesTransfers
        queues = OriginQueues(
            connectionsPerHost: connectionsPerHost, httpVersions: settings.configuration.httpVersions,
            isShared: !isolatesTransfers)
    }

    // MARK: Opening and closing

    func open(by eventLoop: CurlEventLoop, sockets: SocketTable, key: UInt32) {
        self.eventLoop = eventLoop
        self.sockets = sockets
        self.key = key
        openMulti()
    }

    /// Makes the multi handle; it remains `nil` if the process is out of memory.
    private func openMulti() {
        guard handle == nil, !isClosed, CurlLibrary.isReady, let handle = curl_multi_init() else { return }
        self.handle = handle
        let version = CurlVersion.loaded
        if version.hasInheritedSockets { moya_multi_close_wakeup_on_exec(handle, version.wakesByPipe) }
        let context = Unmanaged.passUnretained(self).toOpaque()
        moya_multi_set_callbacks(
            handle,
            { easy, socket, what, context, _ in
                CurlMulti.from(context).watch(socket, for: what, on: easy)
                return 0
            },
            { _, milliseconds, context in
                CurlMulti.from(context).setCurlTimer(milliseconds)
                return 0
            },
            context)
        moya_multi_set_long(handle, CURLMOPT_MAX_HOST_CONNECTIONS, connectionsPerHost)
        // By default, libcurl keeps four per current transfer, and closes connections that the next burst would use.
        moya_multi_set_long(handle, CURLMOPT_MAXCONNECTS, max(256, connectionsPerHost))
        if CurlVersion.loaded.poolsLookups {
            // CURLMOPT_RESOLVE_THREADS_MAX and CURLMOPT_QUICK_EXIT, which older headers lack. Lookups that hang must not
            // delay others, nor the end of the handle, and with it the loop.
            moya_multi_set_long(handle, CURLMoption(rawValue: 20), 256)
            moya_multi_set_long(handle, CURLMoption(rawValue: 21), 1)
        }
        setSharing()
    }

    /// Allows transfers to share connections, or forbids it, for those that begin next.
    private func setSharing() {
        let isShared = !isolatesTransfers || active.count > connectionsPerHost
        guard let handle, isShared != self.isShared else { return }
        self.isShared = isShared
        moya_multi_set_long(handle, CURLMOPT_PIPELINING, Int(isShared ? CURLPIPE_MULTIPLEX : CURLPIPE_NOTHING))
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        for exchange in queues.waiting() { cancel(exchange) }
        for transfer in active.all(CurlEasy.self) { transfer.end(with: .cancelled) }
        idle.removeAll()
        if let handle { curl_multi_cleanup(handle) }
        handle = nil
        curlDeadline = .max
        transferDeadline = .max
    }

    static func from(_ context: UnsafeMutableRawPointer) -> CurlMulti {
        Unmanaged<CurlMulti>.fromOpaque(context).takeUnretainedValue()
    }

    // MARK: Transfers

    /// Chooses the multi handle that carries an exchange: its own for a streamed response over HTTP/2.
    ///
    /// A reader that falls behind holds back everything on its connection, or makes libcurl keep the stream's bytes, up
    /// to 64 MiB (libcurl 7.88).
    func carrier(of exchange: CurlExchange) -> CurlMulti {
        let url = exchange.request.url
        guard exchange.request.isStreamed, !isClosed, queues.mayHaveStreams(at: url) else { return self }
        let carrier =
            multiOfStreams
            ?? CurlMulti(
                settings: settings, connectionsPerHost: connectionsPerHost, loop: loop, isolatesTransfers: true)
        multiOfStreams = carrier
        guard carrier.queues.mayHaveStreams(at: url) else { return self }
        exchange.carrier = carrier
        return carrier
    }

    /// Starts an exchange at once, or when earlier exchanges have released a connection.
    func start(_ exchange: CurlExchange) {
        exchange.arrive(at: eventLoop.now)
        guard queues.admit(exchange, at: eventLoop.now) else { return watch(deadline: exchange.nextCheckInQueue) }
        if let failure = startTransfer(exchange) { end(exchange, TransportEnd(failure: failure)) }
    }

    /// Passes an exchange to libcurl; returns the reason for a failure.
    private func startTransfer(_ exchange: CurlExchange) -> TransportFailure? {
        openMulti()
        guard let handle, !isClosed, let transfer = idle.popLast() ?? CurlEasy(multi: self) else {
            return .outOfResources
        }
        var failure = transfer.start(exchange)
        if failure == nil, curl_multi_add_handle(handle, transfer.easy) != CURLM_OK {
            failure = .outOfResources
        }
        if let failure {
            transfer.release()
            recycle(transfer)
            return failure
        }
        active.insert(transfer)
        setSharing()
        watch(deadline: transfer.deadline)
        return nil
    }

    /// `true` if libcurl may have to hold an exchange back until another one ends, and counts that time as connecting.
    func mayHoldBack(_ exchange: CurlExchange) -> Bool {
        guard CurlVersion.loaded.countsWaitAsConnecting else { return false }
        // For requests that a proxy forwards, libcurl limits the connections to the proxy.
        return settings.proxy.speaksHTTP && !exchange.isOverTLS
            || exchange.queue.map { $0.underWay > connectionsPerHost } ?? false
    }

    /// Passes a transfer to libcurl again; `false` on failure.
    func restart(_ transfer: CurlEasy) -> Bool {
        guard let handle else { return false }
        curl_multi_remove_handle(handle, transfer.easy)
        return curl_multi_add_handle(handle, transfer.easy) == CURLM_OK
    }

    /// Ends an exchange that has no transfer any more, and starts those that waited for it.
    func end(_ exchange: CurlExchange, _ end: TransportEnd) {
        let queue = exchange.queue.take()
        if let queue {
            if let failure = end.failure, failure.kind != .cancelled { queue.recordFailure() }
            queues.release(queue)
            if !queue.silentConnections.isEmpty { endSilentConnections(of: queue) }
        }
        exchange.end(end)
        if let queue { beginWaiting(in: queue) }
    }

    /// Starts the waiting exchanges of a queue, up to its capacity.
    private func beginWaiting(in queue: OriginQueue) {
        while let next = queues.next(in: queue, at: eventLoop.now) {
            guard let failure = next.failureInQueue(at: eventLoop.now) ?? startTransfer(next) else { continue }
            next.queue = nil
            queues.release(queue)
            next.end(failure, metrics: next.metricsInQueue(until: eventLoop.now))
        }
    }

    /// Records from a response whether its server supports streams; exchanges that need not wait any more start before
    /// the tick ends, because libcurl accepts nothing new while it delivers.
    func record(hasStreams: Bool, at queue: OriginQueue?) {
        if let queue, queue.record(hasStreams: hasStreams) { opened.append(queue) }
    }

    /// Records that a connection could be made, and starts the exchanges that waited for it in the same way.
    func recordConnection(at queue: OriginQueue?) {
        guard let queue, queue.reach != .reached, queue.recordConnection() else { return }
        opened.append(queue)
        eventLoop.touch(self)
    }

    /// Ends an exchange early, unless it is over.
    func cancel(_ exchange: CurlExchange, with failure: TransportFailure = .cancelled) {
        if let transfer = exchange.transfer {
            transfer.recordSilenceOfCancelled()
            return transfer.end(with: failure)
        }
        guard exchange.isWaiting else { return }
        queues.withdraw(exchange)
        exchange.queue = nil
        exchange.end(failure, metrics: exchange.metricsInQueue(until: eventLoop.now))
    }

    /// Removes a transfer from libcurl; called by the transfer as it ends.
    ///
    /// - Parameter isWhole: `false` if the rest of a response may still arrive.
    func remove(_ transfer: CurlEasy, isWhole: Bool) {
        guard let handle else { return }
        curl_multi_remove_handle(handle, transfer.easy)
        transfer.leaveConnection(isWhole: isWhole)
        active.remove(transfer)
        setSharing()
        if active.isEmpty, queues.waitingCount == 0 { transferDeadline = .max }
        // Timers are checked after the finished transfers.
        if !isFinishing { eventLoop.touch(self) }
    }

    /// Keeps a transfer's handle for reuse.
    func recycle(_ transfer: CurlEasy) {
        if !isClosed, idle.count < Self.mostIdleHandles { idle.append(transfer) }
    }

    /// Schedules a check whether a transfer ends, once libcurl has delivered its data.
    func transferMayEnd(_ transfer: CurlEasy) {
        dueToEnd.append(transfer)
        eventLoop.touch(self)
    }

    func finishTransfers() {
        guard let handle else { return }
        isFinishing = true
        defer { isFinishing = false }
        var code = CURLE_OK
        while let easy = moya_multi_next_finished(handle, &code) {
            CurlEasy.of(easy)?.end(code)
        }
        if !dueToEnd.isEmpty {
            let due = dueToEnd
            dueToEnd.removeAll()
            for transfer in due { transfer.endIfDue() }
        }
        for queue in opened { beginWaiting(in: queue) }
        opened.removeAll()
    }

    // MARK: Sockets and timers

    func socketIsReady(_ socket: Int32, events: UInt32) {
        var mask: Int32 = 0
        if events & EPOLLIN.rawValue != 0 { mask |= CURL_CSELECT_IN }
        if events & EPOLLOUT.rawValue != 0 { mask |= CURL_CSELECT_OUT }
        if events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { mask |= CURL_CSELECT_ERR }
        act(on: socket, mask)
    }

    private func act(on socket: Int32, _ events: Int32) {
        guard let handle else { return }
        var running: Int32 = 0
        curl_multi_socket_action(handle, socket, events, &running)
        moya_stream_settle()
    }

    private func watch(_ socket: Int32, for what: Int32, on easy: UnsafeMutableRawPointer) {
        let transfer = CurlEasy.of(easy)
        transfer?.connectionIsWatched(for: what)
        guard what != CURL_POLL_REMOVE else { return sockets.unwant(socket) }
        transfer?.socket = socket
        if !sockets.want(what, of: socket, key: key, owner: transfer.map { ObjectIdentifier($0) }) {
            transfer?.socketIsUnwatched(because: errno)
        }
    }

    /// `true` if a transfer other than the given one uses a connection.
    func hasTransfer(besides transfer: CurlEasy, on connection: ConnectionID) -> Bool {
        active.all().contains { $0 !== transfer && ($0 as? CurlEasy)?.connection == connection }
    }

    /// `true` if a transfer other than the given one has received something on a connection since a time.
    func hasHeard(besides transfer: CurlEasy, on connection: ConnectionID, since time: UInt64) -> Bool {
        active.all(CurlEasy.self).contains {
            $0 !== transfer && $0.connection == connection && $0.resendPolicy.hasHeard && $0.lastActivity > time
        }
    }

    private func setCurlTimer(_ milliseconds: Int) {
        curlDeadline = milliseconds < 0 ? .max : eventLoop.now + UInt64(milliseconds) * 1_000_000
    }

    /// Ends the silent connections of a queue without waiting exchanges: libcurl would send the next request there.
    ///
    /// While exchanges wait, new requests make new connections.
    private func endSilentConnections(of queue: OriginQueue) {
        let used = Set(active.all(CurlEasy.self).compactMap(\.connection))
        for connection in queue.silentConnections where !used.contains(connection) {
            queue.silentConnections.remove(connection)
            sockets.endConnection(connection)
        }
    }

    func runDueTimers(now: UInt64) {
        if curlDeadline <= now {
            curlDeadline = .max
            act(on: CURL_SOCKET_TIMEOUT, 0)
        }
        if transferDeadline <= now { endOverdueTransfers(now: now) }
    }

    /// Schedules a check of the transfers' limits, no earlier than the deadline, and no more than 10 ms after it.
    func watch(deadline: UInt64) {
        let check = max(deadline, checks.earliest)
        if check < transferDeadline {
            transferDeadline = check
            eventLoop.touch(self)
        }
    }

    /// Ends overdue transfers.
    ///
    /// Activity moves no timer: a limit is checked when it was first due, and then when the next limit computed at that
    /// time is due.
    private func endOverdueTransfers(now: UInt64) {
        transferDeadline = .max
        checks.record(active.count + queues.waitingCount, at: now)
        var overdue: [CurlEasy] = []
        for transfer in active.all(CurlEasy.self) {
            if transfer.deadline <= now {
                overdue.append(transfer)
            } else {
                watch(deadline: transfer.deadline)
            }
        }
        for transfer in overdue { transfer.endOverdue(now: now) }
        for exchange in queues.waiting() where exchange.isWaiting {
            if let failure = exchange.failureInQueue(at: now) {
                cancel(exchange, with: failure)
            } else {
                if let queue = exchange.queue, queue.nextTry <= now { beginWaiting(in: queue) }
                if exchange.isWaiting { watch(deadline: exchange.nextCheckInQueue) }
            }
        }
    }
}
#endif
