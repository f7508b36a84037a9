#if os(Linux)
import CMoyaCurl
import MoyaTransport

/// Ends an exchange when one of its time limits passes.
extension CurlEasy {
    /// The time at which the first limit of the exchange passes without further activity.
    var deadline: UInt64 {
        let own = isConnected ? silenceDeadline : connectDeadline
        return min(totalDeadline, addressCheck, own)
    }

    /// The time at which the exchange has been silent for too long; never while it waits for a connection or for its
    /// own reader.
    private var silenceDeadline: UInt64 {
        guard let idleNanoseconds, !isPaused else { return .max }
        return lastActivity &+ idleNanoseconds
    }

    /// Ends the exchange, whose limit has passed.
    func endOverdue(now: UInt64) {
        if addressCheck <= now {
            checkAddresses()
            guard deadline <= now else { return multi.watch(deadline: deadline) }
        }
        if totalDeadline > now, isConnected {
            if silenceDeadline > now { return multi.watch(deadline: deadline) }
            if hasSentSlowly() { return multi.watch(deadline: deadline) }
            if isAnswered, !isPaused { return end(CURLE_OK) }
        }
        let isIdle = isConnected && totalDeadline > now
        recordSilence(of: isIdle || !resendPolicy.hasHeard ? 0 : Self.silence)
        let timeouts = exchange?.request.timeouts
        if totalDeadline <= now { return end(with: .timeout(.total, seconds: timeouts?.total)) }
        if isConnected { return end(with: .timeout(.idle, seconds: timeouts?.idle)) }
        end(with: .timeout(.connect, seconds: connectNanoseconds.map { Double($0) / 1e9 }))
    }

    /// The time without a byte after which a connection is not trusted with further requests, in nanoseconds.
    private static let silence: UInt64 = 500_000_000

    /// Records that the connection has been silent, as the exchange is cancelled: by the user, or for a limit of the call.
    func recordSilenceOfCancelled() {
        // A stream of events may pause.
        guard !(resendPolicy.hasHeard && exchange?.request.isStreamed == true) else { return }
        recordSilence(of: Self.silence)
    }

    /// Records that the connection has been silent for some nanoseconds, if it has: it may be dead, so that the next
    /// requests go on another one.
    private func recordSilence(of nanoseconds: UInt64) {
        guard isConnected, !isPaused, resendPolicy.isSent, lastActivity &+ nanoseconds <= multi.eventLoop.now,
            let connection, connection != .unknown, let queue = exchange?.queue
        else { return }
        if isOnStream {
            guard !multi.hasHeard(besides: self, on: connection, since: lastActivity) else { return }
            queue.silentConnections.insert(connection)
        } else if !resendPolicy.hasHeard, TransportMetrics.isReused(easy) {
            // The connection ends with its transfer, and the others of the server may have died with it.
            queue.silentSince = lastActivity
        }
    }

    /// Starts the limit of connecting, when a name is resolved or a socket is made.
    func connectionBegins() {
        guard !isConnected, connectDeadline == .max, let connectNanoseconds else { return }
        connectDeadline = multi.eventLoop.now &+ connectNanoseconds
        multi.watch(deadline: connectDeadline)
    }

    func recordActivity() {
        lastActivity = multi.eventLoop.now
        if idleNanoseconds != nil, isConnected { multi.watch(deadline: silenceDeadline) }
    }
}
#endif
