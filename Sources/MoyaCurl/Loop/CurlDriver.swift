#if os(Linux)
import CMoyaCurl
import Glibc
import MoyaTransport

/// The loop itself: commands in, epoll, libcurl, events out.
///
/// It takes turns. The thread has one whenever something wakes it:
///
///     sockets ready  curl_multi_socket_action
///     commands       start, cancel, pause, resume
///     timers due     curl_multi_socket_action, idle bounds
///     finished       end events
///     turn over      whoever waits for what has ended is woken
///     new commands?  none: sleep in epoll until a socket, a timer or a wake-up
///
/// A caller that finds the thread asleep, and whose call is the only one, takes a turn before it wakes the thread, where that
/// is quick: to write a small request to a connection that is there already. The request is then on its way while the thread
/// wakes up, which has nothing more to do than to wait for the response.
///
/// `@unchecked`: all that changes belongs to whoever has the turn.
final class CurlDriver: @unchecked Sendable {
    private let mailbox = CurlMailbox()
    private let turns = TurnLock()
    private var sockets: SocketTable!
    private var connections: [UInt32: CurlConnections] = [:]
    /// Those of them that wait for a point in time.
    private var timed: [UInt32: CurlConnections] = [:]
    private var nextKey: UInt32 = 1
    private var commands: [CurlCommand] = []
    private var isStopped = false
    private let deliveries = DeliveryTurn()

    /// The connections that may have something to do before the loop sleeps again.
    private var touched: [CurlConnections] = []
    /// Those that this turn looks at; empty between two turns.
    private var inTurn: [CurlConnections] = []
    /// The time that began this turn, in nanoseconds of the monotonic clock.
    private(set) var now: UInt64 = 0

    // MARK: Commands from anywhere

    /// Makes ready for the thread; `false` when the process has no descriptor left.
    func open() -> Bool { mailbox.open() }

    /// Has a command carried out, on the loop's thread or, where that is quick, at once.
    func post(_ command: CurlCommand) {
        guard mailbox.post(command) else { return }
        if command.mayBeQuick { turns.withTurnIfFree { takeCallersTurn() } }
        mailbox.wakeThread()
    }

    /// What was posted and will not be carried out.
    func withdrawCommands() -> [CurlCommand] {
        var commands: [CurlCommand] = []
        mailbox.take(into: &commands, sleepingIfEmpty: false)
        return commands
    }

    // MARK: Turns

    /// The thread, from its start to its end.
    func run() {
        BrokenPipeSignal.block()
        turns.withTurn {
            sockets = SocketTable()
            sockets.watch(mailbox.wakeUpDescriptor)
        }
        let capacity = 256
        let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: capacity)
        defer { events.deallocate() }
        var count = 0
        while let timeout = turns.withTurn({ takeThreadsTurn(UnsafeBufferPointer(start: events, count: count)) }) {
            count = max(0, Int(epoll_wait(sockets.epoll, events, Int32(capacity), timeout)))
        }
    }

    /// Returns for how many milliseconds the thread may sleep; `nil` when it has to end.
    private func takeThreadsTurn(_ events: UnsafeBufferPointer<epoll_event>) -> Int32? {
        mailbox.take(into: &commands, sleepingIfEmpty: false)
        now = MonotonicTime.now()
        deliveries.run {
            for event in events { handle(event) }
            runCommands()
            for connections in timed.values where connections.nextDeadline <= now { touch(connections) }
            finishTurn()
            if isStopped { for connections in Array(connections.values) { connections.close() } }
        }
        deliveries.end()
        guard !isStopped else { return nil }
        mailbox.take(into: &commands, sleepingIfEmpty: touched.isEmpty)
        return commands.isEmpty && touched.isEmpty ? millisecondsUntilNextTimer() : 0
    }

    /// Carries out the one command that was posted, on the thread that has posted it, or leaves everything to the loop's.
    ///
    /// Nothing else is done here, whatever may be due: code of other callers would run in the midst of this one's.
    private func takeCallersTurn() {
        mailbox.take(into: &commands, sleepingIfEmpty: false)
        now = MonotonicTime.now()
        guard !isStopped, touched.isEmpty, commands.count == 1, commands[0].isQuick else { return }
        BrokenPipeSignal.withheld {
            deliveries.run {
                runCommands()
                finishTurn()
            }
        }
        deliveries.end()
    }

    /// Remembers that the connections may have finished transfers or due timers.
    func touch(_ touchedConnections: CurlConnections) {
        guard !touchedConnections.isTouched else { return }
        touchedConnections.isTouched = true
        touched.append(touchedConnections)
    }

    private func finishTurn() {
        guard !touched.isEmpty else { return }
        // Ending a transfer may touch connections again, which is for the next turn.
        swap(&touched, &inTurn)
        for connections in inTurn {
            connections.runDueTimers(now: now)
            // What the timers touch is looked at below.
            connections.isTouched = false
            connections.finishTransfers()
            timed[connections.key] = connections.nextDeadline == .max ? nil : connections
        }
        inTurn.removeAll(keepingCapacity: true)
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
        opened.open(by: self, sockets: sockets, key: nextKey)
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
        let earliest = timed.values.reduce(.max) { min($0, $1.nextDeadline) }
        guard earliest != .max else { return -1 }
        let now = MonotonicTime.now()
        guard earliest > now else { return 0 }
        return Int32(clamping: (earliest - now + 999_999) / 1_000_000)
    }
}

extension CurlCommand {
    /// Whether to carry it out may take no longer than a wake-up.
    fileprivate var mayBeQuick: Bool {
        guard case .start(let exchange) = self else { return false }
        return exchange.request.body.isAtHand
    }

    /// Whether it does; to be asked by whoever has the turn.
    fileprivate var isQuick: Bool {
        guard mayBeQuick, case .start(let exchange) = self else { return false }
        return exchange.connections.mayStartQuickly(exchange)
    }
}

extension TransportBody {
    /// Whether there is nothing to read from a file or to ask a reader for, and little to send.
    fileprivate var isAtHand: Bool {
        switch self {
        case .none: true
        case .data(let data): data.count <= 16 * 1024
        case .file, .stream: false
        }
    }
}
#endif
