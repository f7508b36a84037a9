#if os(Linux)
import Glibc

/// SIGPIPE, sent by a write to a socket whose peer has closed; it ends the process unless it is blocked.
///
/// libcurl makes the kernel suppress it; OpenSSL, which writes to the socket itself, cannot.
enum BrokenPipeSignal {
    /// Blocks the signal on the calling thread permanently.
    static func block() {
        var signals = alone
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Runs the closure on a foreign thread, with the signal blocked meanwhile.
    static func withheld(_ body: () -> Void) {
        var signals = alone
        var before = sigset_t()
        pthread_sigmask(SIG_BLOCK, &signals, &before)
        body()
        // The signal was already blocked by the thread itself.
        guard sigismember(&before, SIGPIPE) == 0 else { return }
        var noTime = timespec()
        while sigtimedwait(&signals, nil, &noTime) == SIGPIPE {}
        pthread_sigmask(SIG_SETMASK, &before, nil)
    }

    private static var alone: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        return signals
    }
}
#endif
