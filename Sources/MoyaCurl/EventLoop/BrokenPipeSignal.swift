#if os(Linux)
import Glibc

/// The signal of a write to a socket whose peer has closed, which ends the process unless it is blocked.
///
/// libcurl has the kernel suppress it; OpenSSL, which writes by itself, cannot.
enum BrokenPipeSignal {
    /// Holds the signal back from the calling thread for good.
    static func block() {
        var signals = alone
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Runs the closure on a foreign thread, which never sees the signal.
    static func withheld(_ body: () -> Void) {
        var signals = alone
        var before = sigset_t()
        pthread_sigmask(SIG_BLOCK, &signals, &before)
        body()
        // The thread's own, where it holds the signal back by itself.
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
