#if os(Linux)
import CMoyaCurl
import Glibc
import MoyaTransport

/// The event loop: it runs commands, epoll and libcurl, and delivers events.
///
/// It works in ticks. The thread runs a tick whenever it wakes up:
///
///     idle sockets   end connections on which something has arrived unasked
///     commands       start, cancel, pause, resume
///     sockets ready  curl_multi_socket_action
///     timers due     curl_multi_socket_action, idle limits
///     finished       end events
///     tick over      the waiters of finished exchanges are woken
///     new commands?  none: sleep in epoll until a socket, a timer or a wake-up
///
/// `@unchecked`: all mutable state is protected by the loop lock.
final class CurlEventLoop: @unchecked Sendable {
    let commandQueue = CommandQueue()
    let loopLock = LoopLock()
    var sockets: SocketTable!
    @exclusivity(unchecked) private var multis: [UInt32: CurlMulti] = [:]
    /// The multi handles with a timer.
    @exclusivity(unchecked) private var timed: [UInt32: CurlMulti] = [:]
    private var nextKey: UInt32 = 1
    @exclusivity(unchecked) var commands: [CurlCommand] = []
    var isStopped = false
    let completions = CompletionBatch()

    /// The multi handles that may have work before the loop sleeps again.
    @exclusivity(unchecked) private(set) var touched: [CurlMulti] = []
    /// The multi handles that this tick processes; empty between ticks.
    @exclusivity(unchecked) private var inTick: [CurlMulti] = []
    /// The start of this tick, in nanoseconds of the monotonic clock.
    var now: UInt64 = 0

    // MARK: Commands from anywhere

    /// Opens the loop for its thread; `false` if the process has no free descriptor.
    func open() -> Bool {
        guard commandQueue.open() else { return false }
        guard sockets == nil else { return true }
        guard let table = SocketTable(), table.watch(commandQueue.wakeUpDescriptor) else { return false }
        sockets = table
        return true
    }

    /// Runs a command on the loop's thread or, if that is quick, at once.
    func post(_ command: CurlCommand) {
        guard commandQueue.post(command) else { return }
        runOnCallersThread(command)
        commandQueue.wakeThread()
    }

    /// Removes the posted commands, which will not run.
    func withdrawCommands() -> [CurlCommand] {
        var commands: [CurlCommand] = []
        commandQueue.take(into: &commands, sleepingIfEmpty: false)
        return commands
    }

    // MARK: Ticks

    /// Runs the thread's loop from start to end.
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

    /// Returns the number of milliseconds for which the thread may sleep; `nil` if it has to end.
    private func runTick(_ events: UnsafeBufferPointer<epoll_event>) -> Int32? {
        let known = commands.count
        commandQueue.take(into: &commands, sleepingIfEmpty: false)
        now = MonotonicTime.now()
        completions.run {
            // In this order, so that new exchanges use no connection on which unsolicited bytes arrived.
            if commands.count > known {
                // These were posted after the sockets were checked.
                sockets.endReadableIdleConnections()
            } else {
                sockets.beginRound()
                for event in events { sockets.endIfIdle(event) }
            }
            runCommands()
            for multi in touched { multi.runDueTimers(now: now) }
            for event in events { handle(event) }
            for multi in timed.values where multi.nextDeadline <= now { touch(multi) }
            finishTick()
            if isStopped { for multi in Array(multis.values) { multi.close() } }
        }
        completions.end()
        guard !isStopped else { return nil }
        commandQueue.take(into: &commands, sleepingIfEmpty: touched.isEmpty)
        return commands.isEmpty && touched.isEmpty ? millisecondsUntilNextTimer() : 0
    }

    /// Marks a multi handle as possibly having finished transfers or due timers.
    func touch(_ multi: CurlMulti) {
        guard !multi.isTouched else { return }
        multi.isTouched = true
        touched.append(multi)
    }

    func finishTick() {
        guard !touched.isEmpty else { return }
        // Ending a transfer may touch multi handles again, which the next tick processes.
        swap(&touched, &inTick)
        for multi in inTick {
            multi.runDueTimers(now: now)
            // Timers are checked below.
            multi.isTouched = false
            multi.finishTransfers()
            timed[multi.key] = multi.nextDeadline == .max ? nil : multi
        }
        inTick.removeAll(keepingCapacity: true)
    }

    // MARK: Commands

    func runCommands() {
        for command in commands {
            switch command {
            case .start(let exchange):
                let carrier = exchange.multi.carrier(of: exchange)
                open(carrier)
                carrier.start(exchange)
                touch(carrier)
            case .cancel(let exchange): (exchange.carrier ?? exchange.multi).cancel(exchange)
            case .pause(let exchange): exchange.pauseReading()
            case .resume(let exchange): exchange.resumeReading()
            case .resumeSending(let exchange): exchange.transfer?.resumeSending()
            case .decode(let exchange): exchange.decode()
            case .close(let closed):
                close(closed)
                if let multiOfStreams = closed.multiOfStreams { close(multiOfStreams) }
            case .stop: isStopped = true
            }
        }
        commands.removeAll(keepingCapacity: true)
    }

    private func open(_ opened: CurlMulti) {
        guard opened.key == 0 else { return }
        multis[nextKey] = opened
        opened.open(by: self, sockets: sockets, key: nextKey)
        nextKey &+= 1
    }

    private func close(_ closed: CurlMulti) {
        closed.close()
        multis[closed.key] = nil
        timed[closed.key] = nil
    }

    // MARK: Sockets

    private func handle(_ event: epoll_event) {
        guard let (descriptor, key) = sockets.ready(event) else { return }
        guard let ready = multis[key] else { return }
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
#endif
