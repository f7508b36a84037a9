#if os(Linux)
import CMoyaCurl
import Glibc
import MoyaTransport

/// Drives libcurl for any number of transports, on a dedicated thread: no state of libcurl is touched by two threads at
/// once.
///
/// The thread starts with the first exchange and lives as long as the loop. An idle loop sleeps without a timer. While it
/// does, a small request to a server that has answered before is sent by the thread that starts it.
public final class CurlLoop: Sendable {
    /// The loop that transports use unless they are given another.
    public static let shared = CurlLoop(name: "moya-curl")

    let eventLoop = CurlEventLoop()
    private let isStarted = Lock(false)
    private let name: String

    /// Makes a loop with a new thread.
    ///
    /// - Parameter name: The thread's name; Linux keeps its first 15 bytes.
    public init(name: String) {
        self.name = name
    }

    deinit {
        // The thread holds the event loop instead of this object, so that it can be stopped here.
        eventLoop.post(.stop)
    }

    func post(_ command: CurlCommand) {
        eventLoop.post(command)
        if !isStarted.exchange(true) { start() }
    }

    /// Starts the thread: a thread of Foundation's would keep its closure, and the descriptor in it, for ever.
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
            moya_name_thread(thread, String(name.prefix(15)))
        } else {
            context.release()
            refuseEverything()
        }
    }

    /// Ends the commands of a thread that could not be started; the next command tries again.
    private func refuseEverything() {
        isStarted.set(false)
        for case .start(let exchange) in eventLoop.withdrawCommands() { exchange.end(.outOfResources) }
    }
}
#endif
