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
    case close(CurlMulti)
    case stop
}

/// Commands on their way to a loop, in the order in which they were posted.
///
/// A command posted while another thread holds the loop lock costs no system call: the holder looks here before it
/// unlocks. Posted while the thread sleeps, one wake-up serves that command and all that follow.
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

    /// Is written to when the sleeping thread has something to do; it is never read, and its count would take an
    /// eternity to fill.
    var wakeUpDescriptor: Int32 { descriptor.value }

    /// Makes ready for a thread that will read and sleep; `false` when the process has no descriptor left.
    ///
    /// Until then commands are kept, and nothing of the system's is taken.
    func open() -> Bool {
        if wakeUpDescriptor == Self.noDescriptor {
            descriptor.set(eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)))
        }
        return wakeUpDescriptor != Self.noDescriptor
    }

    /// Enqueues a command; `true` when the thread sleeps, and the caller has to wake it, because no other will.
    func post(_ command: CurlCommand) -> Bool {
        content.withLock { content in
            content.commands.append(command)
            defer { content.threadSleeps = false }
            return content.threadSleeps
        }
    }

    func wakeThread() { eventfd_write(wakeUpDescriptor, 1) }

    /// Appends the commands posted so far, to an empty array whose storage is used again if it can be.
    ///
    /// - Parameter sleepingIfEmpty: `true` if the thread sleeps where there is none, so that the next post has to wake
    ///   it.
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
