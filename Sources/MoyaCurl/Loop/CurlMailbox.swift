#if os(Linux)
import CMoyaCurl
import Glibc
import Synchronization

/// What a loop's thread is asked to do.
enum CurlCommand {
    case start(CurlExchange)
    case cancel(CurlExchange)
    case pause(CurlExchange)
    case resume(CurlExchange)
    case resumeSending(CurlExchange)
    case close(CurlConnections)
    case stop
}

/// Commands on their way to a loop's thread, in the order in which they were posted.
///
/// A command posted while the thread is awake costs no system call: the thread looks here before it sleeps. Posted
/// while it sleeps, one wake-up serves that command and all that follow.
final class CurlMailbox: Sendable {
    private struct Content {
        var commands: [CurlCommand] = []
        var receiverSleeps = false
    }

    private let content = Mutex(Content())
    private let descriptor = Atomic(CurlMailbox.noDescriptor)
    private static let noDescriptor: Int32 = -1

    deinit {
        if wakeUpDescriptor != Self.noDescriptor { close(wakeUpDescriptor) }
    }

    /// Is written to when the sleeping thread has something to do; nobody reads it, and its count would take an eternity to
    /// fill.
    var wakeUpDescriptor: Int32 { descriptor.load(ordering: .relaxed) }

    /// Makes ready for a thread that will read and sleep; `false` when the process has no descriptor left.
    ///
    /// Until then commands are kept, and nothing of the system's is taken.
    func open() -> Bool {
        if wakeUpDescriptor == Self.noDescriptor {
            descriptor.store(eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)), ordering: .relaxed)
        }
        return wakeUpDescriptor != Self.noDescriptor
    }

    func post(_ command: CurlCommand) {
        let wakes = content.withLock { content in
            content.commands.append(command)
            defer { content.receiverSleeps = false }
            return content.receiverSleeps
        }
        if wakes { eventfd_write(wakeUpDescriptor, 1) }
    }

    /// Swaps the commands posted so far for an empty array, whose storage is used again; when there are none, and the
    /// thread means to sleep, the next post will wake it.
    func take(into commands: inout [CurlCommand], sleepingIfEmpty: Bool) {
        content.withLock { content in
            swap(&content.commands, &commands)
            content.receiverSleeps = commands.isEmpty && sleepingIfEmpty
        }
    }
}
#endif
