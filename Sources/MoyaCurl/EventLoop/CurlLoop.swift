#if os(Linux)
import CMoyaCurl
import Glibc
import MoyaTransport

/// Drives libcurl for any number of transports on a dedicated thread; two threads never use libcurl's state at once.
///
/// The thread starts with the first exchange and lives as long as the loop. An idle loop sleeps without a timer. While
/// the thread sleeps, the thread that starts a small request sends it, if its server has answered before.
public final class CurlLoop: Sendable {
    /// The default loop of transports.
    public static let shared = CurlLoop(name: "moya-curl")

    /// The additional loops of transports with several, up to the largest number requested so far.
    private static let others = Lock<[CurlLoop]>([])
    /// The maximum number of loops, more than most machines have cores.
    private static let mostLoops = 64

    /// The loops of transports with several; each starts its thread with its first exchange.
    static func shared(count: Int) -> [CurlLoop] {
        guard count > 1 else { return [.shared] }
        return others.withLock { others in
            let wanted = min(count, mostLoops) - 1
            while others.count < wanted { others.append(CurlLoop(name: "moya-curl-\(others.count + 2)")) }
            return [.shared] + others.prefix(wanted)
        }
    }

    let eventLoop = CurlEventLoop()
    private let isStarted = Lock(false)
    private let name: String

    /// Makes a loop with a new thread.
    ///
    /// - Parameter name: The thread's name; Linux keeps its first 15 bytes.
    public init(name: String) {
        self.name = name
    }

    /// The first 15 bytes of the name, without a part of a character.
    private var nameOfThread: String {
        var name = name[...]
        while name.utf8.count > 15 { name.removeLast() }
        return String(name)
    }

    deinit {
        // The thread retains the event loop instead of this object, so that it can be stopped here.
        eventLoop.post(.stop)
    }

    func post(_ command: CurlCommand) {
        guard case .start = command else {
            // Without a thread there is nothing to cancel or close.
            if isStarted.value { eventLoop.post(command) }
            return
        }
        eventLoop.post(command)
        if !isStarted.exchange(true) { start() }
    }

    /// Starts the thread with POSIX: a thread of Foundation would retain its closure, and the descriptor in it,
    /// forever.
    private func start() {
        guard eventLoop.open() else { return refuseEverything() }
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(&attributes, 512 * 1024)
        defer { pthread_attr_destroy(&attributes) }

        let context = Unmanaged.passRetained(eventLoop)
        var thread = pthread_t()
        let code = pthread_create(
            &thread, &attributes,
            { context in
                guard let context else { return nil }
                Unmanaged<CurlEventLoop>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        if code == 0 {
            moya_name_thread(thread, nameOfThread)
        } else {
            context.release()
            refuseEverything()
        }
    }

    /// Ends the exchanges of a thread that could not start; the next one tries again.
    private func refuseEverything() {
        var refused: [CurlExchange] = []
        repeat {
            for case .start(let exchange) in eventLoop.withdrawCommands() { refused.append(exchange) }
            isStarted.set(false)
            // A command posted in between relied on this thread.
        } while !eventLoop.commandQueue.isEmpty && !isStarted.exchange(true)
        for exchange in refused { exchange.end(.outOfResources) }
    }
}
#endif
