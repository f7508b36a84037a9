#if os(Linux)
import CMoyaCurl
import Glibc
import MoyaTransport

/// A command for an event loop.
enum CurlCommand {
    case start(CurlExchange)
    case cancel(CurlExchange)
    case pause(CurlExchange)
    case resume(CurlExchange)
    case resumeSending(CurlExchange)
    case decode(CurlExchange)
    case close(CurlMulti)
    case stop
}

/// Commands for a loop, in the order in which they were posted.
///
/// A command posted while another thread holds the loop lock costs no system call: the holder checks the queue before
/// it unlocks. While the thread sleeps, one wake-up serves a command and all that follow.
final class CommandQueue: Sendable {
    private struct Content {
        var commands: [CurlCommand] = []
        var threadSleeps = false
    }

    private let content = Lock(Content())
    private let descriptor = Lock(CommandQueue.noDescriptor)
    private static let noDescriptor: Int32 = -1

    deinit {
        if wakeUpDescriptor != Self.noDescriptor { close(wakeUpDescriptor) }
    }

    /// The eventfd that wakes the sleeping thread; it is never read, and its counter practically never overflows.
    var wakeUpDescriptor: Int32 { descriptor.value }

    /// Opens the eventfd for a thread that will read and sleep; `false` if the process has no free descriptor.
    ///
    /// Until then, commands are kept and no system resource is used.
    func open() -> Bool {
        if wakeUpDescriptor == Self.noDescriptor {
            descriptor.set(eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)))
        }
        return wakeUpDescriptor != Self.noDescriptor
    }

    var isEmpty: Bool { content.withLock { $0.commands.isEmpty } }

    /// Enqueues a command; `true` if the thread sleeps and the caller has to wake it.
    func post(_ command: CurlCommand) -> Bool {
        content.withLock { content in
            content.commands.append(command)
            defer { content.threadSleeps = false }
            return content.threadSleeps
        }
    }

    /// Wakes the thread; on failure the next post does.
    func wakeThread() {
        if eventfd_write(wakeUpDescriptor, 1) != 0 { content.withLock { $0.threadSleeps = true } }
    }

    /// Moves the posted commands to an empty array, reusing its storage if possible.
    ///
    /// - Parameter sleepingIfEmpty: `true` if the thread sleeps when the queue is empty, so that the next post has to
    ///   wake it.
    func take(into commands: inout [CurlCommand], sleepingIfEmpty: Bool) {
        content.withLock { content in
            if commands.isEmpty {
                swap(&content.commands, &commands)
            } else {
                commands += content.commands
                content.commands.removeAll(keepingCapacity: true)
            }
            content.threadSleeps = commands.isEmpty && sleepingIfEmpty
        }
    }
}
#endif
