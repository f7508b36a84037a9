#if os(Linux)
import CMoyaCurl
import Glibc
import MoyaTransport

/// The loop itself: commands in, epoll, libcurl, events out.
///
/// Lives on its own thread and is never shared.
///
///     commands       start, cancel, pause, resume
///     timers due     curl_multi_socket_action, idle bounds
///     finished       end events
///     turn over      whoever waits for what has ended is woken
///     new commands?  none: sleep in epoll until a socket, a timer or a wake-up
///     sockets ready  curl_multi_socket_action
final class CurlLoopThread {
    private let mailbox: CurlMailbox
    private let sockets: SocketTable
    private var connections: [UInt32: CurlConnections] = [:]
    /// Those of them that wait for a point in time.
    private var timed: [UInt32: CurlConnections] = [:]
    private var nextKey: UInt32 = 1
    private var commands: [CurlCommand] = []
    private var isStopped = false
    private let turn = DeliveryTurn()

    /// The connections that may have something to do before the loop sleeps again.
    private var touched: [CurlConnections] = []
    /// Those that this turn looks at; empty between two turns.
    private var inTurn: [CurlConnections] = []
    /// The time that began this turn, in nanoseconds of the monotonic clock.
    private(set) var now: UInt64 = 0

    init(mailbox: CurlMailbox) {
        self.mailbox = mailbox
        sockets = SocketTable()
    }

    func run() { turn.run { loop() } }

    private func loop() {
        blockBrokenPipeSignal()
        sockets.watch(mailbox.wakeUpDescriptor)
        let capacity = 256
        let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: capacity)
        defer { events.deallocate() }

        while true {
            now = MonotonicTime.now()
            runCommands()
            if isStopped { break }
            touchDue()
            finishTurn()
            turn.end()
            mailbox.take(into: &commands, sleepingIfEmpty: true)
            let sleeps = commands.isEmpty && touched.isEmpty
            let count = epoll_wait(sockets.epoll, events, Int32(capacity), sleeps ? millisecondsUntilNextTimer() : 0)
            guard count > 0 else { continue }
            now = MonotonicTime.now()
            // What it was woken for, most likely.
            if sleeps { mailbox.take(into: &commands, sleepingIfEmpty: false) }
            for index in 0..<Int(count) { handle(events[index]) }
        }
        for connections in Array(connections.values) { connections.close() }
        turn.end()
    }

    /// Remembers that the connections may have finished transfers or due timers.
    func touch(_ touchedConnections: CurlConnections) {
        guard !touchedConnections.isTouched else { return }
        touchedConnections.isTouched = true
        touched.append(touchedConnections)
    }

    // MARK: Commands

    private func runCommands() {
        for command in commands {
            switch command {
            case .start(let exchange):
                open(exchange.connections)
                exchange.connections.start(exchange)
                touch(exchange.connections)
            case .cancel(let exchange): exchange.connections.cancel(exchange)
            case .pause(let exchange): exchange.pauseReading()
            case .resume(let exchange): exchange.resumeReading()
            case .resumeSending(let exchange): exchange.transfer?.resumeSending()
            case .close(let closed):
                closed.close()
                connections[closed.key] = nil
                timed[closed.key] = nil
            case .stop: isStopped = true
            }
        }
        commands.removeAll(keepingCapacity: true)
    }

    private func open(_ opened: CurlConnections) {
        guard opened.key == 0 else { return }
        connections[nextKey] = opened
        opened.open(on: self, sockets: sockets, key: nextKey)
        nextKey &+= 1
    }

    // MARK: Sockets

    private func handle(_ event: epoll_event) {
        guard let (descriptor, key) = sockets.ready(event) else { return }
        guard let ready = connections[key] else { return }
        ready.socketIsReady(descriptor, events: event.events)
        touch(ready)
    }

    // MARK: Timers

    private func millisecondsUntilNextTimer() -> Int32 {
        var earliest = UInt64.max
        for connections in timed.values { earliest = min(earliest, connections.nextDeadline) }
        guard earliest != .max else { return -1 }
        let now = MonotonicTime.now()
        guard earliest > now else { return 0 }
        return Int32(clamping: (earliest - now + 999_999) / 1_000_000)
    }

    private func touchDue() {
        for connections in timed.values where connections.nextDeadline <= now { touch(connections) }
    }

    private func finishTurn() {
        guard !touched.isEmpty else { return }
        // Ending a transfer may touch connections again, which is for the next turn.
        swap(&touched, &inTurn)
        for connections in inTurn {
            connections.isTouched = false
            connections.runDueTimers(now: now)
            connections.finishTransfers()
            timed[connections.key] = connections.nextDeadline == .max ? nil : connections
        }
        inTurn.removeAll(keepingCapacity: true)
    }

    /// OpenSSL writes to sockets that may be broken; the signal would end the process.
    private func blockBrokenPipeSignal() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}

/// The monotonic clock.
enum MonotonicTime {
    /// Nanoseconds since some fixed point.
    static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Seconds as nanoseconds; `nil` for what is no bound: negative, not a number, or beyond a century.
    static func nanoseconds(_ seconds: Double?) -> UInt64? {
        guard let seconds, seconds >= 0, seconds < 3_153_600_000 else { return nil }
        return UInt64(seconds * 1_000_000_000)
    }
}
#endif
