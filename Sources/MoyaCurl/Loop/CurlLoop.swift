#if os(Linux)
import CMoyaCurl
import Glibc
import MoyaTransport
import Synchronization

/// Drives libcurl for any number of transports, on a thread of its own: of what belongs to libcurl, nothing is touched by two
/// threads at once.
///
/// The thread starts with the first exchange and lives as long as the loop. An idle loop sleeps without a timer. While it
/// does, a small request to a server that has answered before is sent by the thread that starts it.
public final class CurlLoop: Sendable {
    /// The loop that transports use unless they are given another.
    public static let shared = CurlLoop(name: "moya-curl")

    let driver = CurlDriver()
    private let isStarted = Atomic(false)
    private let name: String

    /// Makes a loop with a thread of its own.
    ///
    /// - Parameter name: The thread's name; Linux keeps its first 15 bytes.
    public init(name: String) {
        self.name = name
    }

    deinit {
        // The thread holds the driver and not the loop, so that it can be told to stop here.
        driver.post(.stop)
    }

    func post(_ command: CurlCommand) {
        driver.post(command)
        if !isStarted.load(ordering: .relaxed), !isStarted.exchange(true, ordering: .relaxed) { start() }
    }

    /// Starts the thread: a thread of Foundation's would keep its closure, and the descriptor in it, for ever.
    private func start() {
        guard driver.open() else { return refuseEverything() }
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(&attributes, 512 * 1024)
        defer { pthread_attr_destroy(&attributes) }

        let context = Unmanaged.passRetained(driver)
        var thread = pthread_t()
        let code = pthread_create(
            &thread, &attributes,
            { context in
                guard let context else { return nil }
                Unmanaged<CurlDriver>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        if code == 0 {
            moya_name_thread(thread, String(name.prefix(15)))
        } else {
            context.release()
            refuseEverything()
        }
    }

    /// Ends what was asked of a thread that could not be started; the next command tries again.
    private func refuseEverything() {
        isStarted.store(false, ordering: .relaxed)
        for case .start(let exchange) in driver.withdrawCommands() { exchange.end(.outOfResources) }
    }
}
#endif
