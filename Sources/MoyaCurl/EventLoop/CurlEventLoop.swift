#if os(Linux)
import CMoyaCurl
import Glibc
import MoyaTransport

/// The loop itself: commands in, epoll, libcurl, events out.
///
/// It works in ticks. The thread runs one whenever something wakes it:
///
///     idle sockets   end connections on which something has arrived unasked
///     commands       start, cancel, pause, resume
///     sockets ready  curl_multi_socket_action
///     timers due     curl_multi_socket_action, idle bounds
///     finished       end events
///     tick over      the waiters of finished exchanges are woken
///     new commands?  none: sleep in epoll until a socket, a timer or a wake-up
///
/// A caller that finds the thread asleep, and whose call is the only one, runs a tick before it wakes the thread, where
/// that is quick: to write a small request to an open connection. The request is then on its way while the thread wakes
/// up, which has nothing more to do than to wait for the response.
///
/// `@unchecked`: all mutable state belongs to the holder of the loop lock.
final class CurlEventLoop: @unchecked Sendable {
    private let commandQueue = CommandQueue()
    private let loopLock = LoopLock()
    private var sockets: SocketTable!
    private var connections: [UInt32: CurlMulti] = [:]
    /// Those of them that wait for a point in time.
    private var timed: [UInt32: CurlMulti] = [:]
    private var nextKey: UInt32 = 1
    private var commands: [CurlCommand] = []
    private var isStopped = false
    private let completions = CompletionBatch()

    /// The connections that may have something to do before the loop sleeps again.
    private var touched: [CurlMulti] = []
    /// Those that this tick looks at; empty between two ticks.
    private var inTick: [CurlMulti] = []
    /// The start of this tick, in nanoseconds of the monotonic clock.
    private(set) var now: UInt64 = 0

    // MARK: Commands from anywhere

    /// Makes ready for the thread; `false` when the process has no descriptor left.
    func open() -> Bool {
        guard commandQueue.open() else { return false }
        guard sockets == nil else { return true }
        guard let table = SocketTable(), table.watch(commandQueue.wakeUpDescriptor) else { return false }
        sockets = table
        return true
    }

    /// Has a command carried out, on the loop's thread or, where that is quick, at once.
    func post(_ command: CurlCommand) {
        guard commandQueue.post(command) else { return }
        if command.mayBeQuick { loopLock.withLockIfFree { runCallersTick() } }
        commandQueue.wakeThread()
    }

    /// The posted commands, which will not be carried out.
    func withdrawCommands() -> [CurlCommand] {
        var commands: [CurlCommand] = []
        commandQueue.take(into: &commands, sleepingIfEmpty: false)
        return commands
    }

    // MARK: Ticks

    /// The thread, from its start to its end.
    func run() {
        BrokenPipeSignal.block()
        let capacity = 256
        let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: capacity)
        defer { events.deallocate() }
        var count = 0
        while let timeout = loopLock.withLock({ runTick(UnsafeBufferPointer(start: events, count: count)) }) {
            count = max(0, Int(epoll_wait(sockets.epoll, events, Int32(capacity), timeout)))
        }
    }

    /// Returns for how many milliseconds the thread may sleep; `nil` when it has to end.
    private func runTick(_ events: UnsafeBufferPointer<epoll_event>) -> Int32? {
        let known = commands.count
        commandQueue.take(into: &commands, sleepingIfEmpty: false)
        now = MonotonicTime.now()
        completions.run {
            // In this order, so that what begins now takes no connection on which something has arrived unasked.
            if commands.count > known {
                // These were posted after the sockets were looked at.
                sockets.endReadableIdleConnections()
            } else {
                sockets.beginRound()
                for event in events { sockets.endIfIdle(event) }
            }
            runCommands()
            for connections in touched { connections.runDueTimers(now: now) }
            for event in events { handle(event) }
            for connections in timed.values where connections.nextDeadline <= now { touch(connections) }
            finishTick()
            if isStopped { for connections in Array(connections.values) { connections.close() } }
        }
        completions.end()
        guard !isStopped else { return nil }
        commandQueue.take(into: &commands, sleepingIfEmpty: touched.isEmpty)
        return commands.isEmpty && touched.isEmpty ? millisecondsUntilNextTimer() : 0
    }

    /// Carries out the one command that was posted, on the thread that has posted it, or leaves everything to the loop's.
    ///
    /// Nothing else is done here, whatever may be due: code of other callers would run in the midst of this one's.
    private func runCallersTick() {
        commandQueue.take(into: &commands, sleepingIfEmpty: false)
        now = MonotonicTime.now()
        guard !isStopped, touched.isEmpty, commands.count == 1, commands[0].isQuick else { return }
        BrokenPipeSignal.withheld {
            completions.run {
                // The thread may not have come round to what woke it.
                sockets.endReadableIdleConnections()
                runCommands()
                finishTick()
            }
        }
        completions.end()
    }

    /// Remembers that the connections may have finished transfers or due timers.
    func touch(_ touchedConnections: CurlMulti) {
        guard !touchedConnections.isTouched else { return }
        touchedConnections.isTouched = true
        touched.append(touchedConnections)
    }

    private func finishTick() {
        guard !touched.isEmpty else { return }
        // Ending a transfer may touch connections again, which is for the next tick.
        swap(&touched, &inTick)
        for connections in inTick {
            connections.runDueTimers(now: now)
            // The touched timers are looked at below.
            connections.isTouched = false
            connections.finishTransfers()
            timed[connections.key] = connections.nextDeadline == .max ? nil : connections
        }
        inTick.removeAll(keepingCapacity: true)
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

    private func open(_ opened: CurlMulti) {
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
    /// `true` if carrying it out may take no longer than a wake-up.
    fileprivate var mayBeQuick: Bool {
        guard case .start(let exchange) = self else { return false }
        return exchange.request.body.isAtHand
    }

    /// `true` if it does; for the holder of the loop lock.
    fileprivate var isQuick: Bool {
        guard mayBeQuick, case .start(let exchange) = self else { return false }
        return exchange.connections.mayStartQuickly(exchange)
    }
}

extension TransportBody {
    /// `true` if no file and no reader has to be read, and there is little to send.
    fileprivate var isAtHand: Bool {
        switch self {
        case .none: true
        case .data(let data): data.count <= 16 * 1024
        case .file, .stream: false
        }
    }
}
#endif
