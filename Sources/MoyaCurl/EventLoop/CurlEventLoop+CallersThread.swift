#if os(Linux)
import MoyaTransport

/// Sends a single request on the caller's thread.
///
/// A caller that finds the loop's thread asleep, and whose call is the only one, runs a tick before it wakes the thread,
/// if that is quick: for writing a small request to an open connection. The request is then sent while the thread wakes
/// up, which only has to wait for the response. On some hosts a call that is alone needs this to return within 1.5 times
/// libcurl's time; Benchmarks/NOTES.md has figures of several.
extension CurlEventLoop {
    /// Runs a posted command on the caller's thread, if it is the only one and quick.
    func runOnCallersThread(_ command: CurlCommand) {
        if command.mayBeQuick { loopLock.withLockIfFree { runCallersTick() } }
    }

    /// Runs the only posted command on the thread that posted it, or leaves everything to the loop's thread.
    ///
    /// Nothing else runs here, even if it is due: code of other callers would run within this caller's code.
    private func runCallersTick() {
        commandQueue.take(into: &commands, sleepingIfEmpty: false)
        now = MonotonicTime.now()
        guard !isStopped, touched.isEmpty, commands.count == 1, commands[0].isQuick else { return }
        BrokenPipeSignal.withheld {
            completions.run {
                // The thread may not have processed its wake-up yet.
                sockets.endReadableIdleConnections()
                runCommands()
                finishTick()
            }
        }
        completions.end()
    }
}

extension CurlCommand {
    /// `true` if running the command may take no longer than a wake-up: the body is short and needs no file and no
    /// reader.
    fileprivate var mayBeQuick: Bool {
        guard case .start(let exchange) = self else { return false }
        return switch exchange.request.body {
        case .none: true
        case .data(let data): data.count <= 16 * 1024
        case .file, .stream: false
        }
    }

    /// `true` if the command is quick; requires the loop lock.
    fileprivate var isQuick: Bool {
        guard mayBeQuick, case .start(let exchange) = self else { return false }
        return exchange.multi.mayStartQuickly(exchange)
    }
}

extension CurlMulti {
    /// The time after a response for which a connection probably stays open, and the server's name stays resolved.
    private static let connectionLife: UInt64 = 30_000_000_000

    /// `true` if an exchange is the only one, and starting it probably means writing a request to an open connection:
    /// no name is resolved, and no certificate is read.
    ///
    /// If there are many exchanges, the thread serves several in one tick.
    func mayStartQuickly(_ exchange: CurlExchange) -> Bool {
        let url = exchange.request.url
        guard key != 0, !isClosed, active.isEmpty, let last = queues.lastAnswer(from: url) else { return false }
        if exchange.request.isStreamed, queues.mayHaveStreams(at: url) { return false }
        return eventLoop.now - last < Self.connectionLife
    }
}
#endif
