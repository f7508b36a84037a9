#if os(Linux)
import CMoyaCurl
import Glibc
import MoyaTransport
import Synchronization

/// A thread that drives libcurl for any number of transports: nothing but this thread touches a curl handle.
///
/// The thread starts with the first exchange and lives as long as the loop. An idle loop sleeps without a timer.
public final class CurlLoop: Sendable {
    /// The loop that transports use unless they are given another.
    public static let shared = CurlLoop(name: "moya-curl")

    private let mailbox = CurlMailbox()
    private let isStarted = Atomic(false)
    private let name: String

    /// Makes a loop with a thread of its own.
    ///
    /// - Parameter name: The thread's name; Linux keeps its first 15 bytes.
    public init(name: String) {
        self.name = name
    }

    deinit {
        // The thread holds the mailbox and not the loop, so that it can be told to stop here.
        mailbox.post(.stop)
    }

    func post(_ command: CurlCommand) {
        mailbox.post(command)
        if !isStarted.load(ordering: .relaxed), !isStarted.exchange(true, ordering: .relaxed) { start() }
    }

    /// Starts the thread: a thread of Foundation's would keep its closure, and the descriptor in it, for ever.
    private func start() {
        guard mailbox.open() else { return refuseEverything() }
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(&attributes, 512 * 1024)
        defer { pthread_attr_destroy(&attributes) }

        let context = Unmanaged.passRetained(mailbox)
        var thread = pthread_t()
        let code = pthread_create(
            &thread, &attributes,
            { context in
                guard let context else { return nil }
                let mailbox = Unmanaged<CurlMailbox>.fromOpaque(context).takeRetainedValue()
                CurlLoopThread(mailbox: mailbox).run()
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
        var commands: [CurlCommand] = []
        mailbox.take(into: &commands, sleepingIfEmpty: false)
        for case .start(let exchange) in commands {
            exchange.end(.outOfResources)
        }
    }
}
#endif
