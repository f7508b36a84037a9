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

    /// The connection that has sent no response to a request, if others may share it.
    ///
    /// A connection without streams ends with its transfer.
    private var silentConnection: ConnectionID? {
        options.maySpeakHTTP2 && resendPolicy.isSent && !resendPolicy.hasHeard ? connection : nil
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
        if let silentConnection { exchange?.queue?.silentConnections.insert(silentConnection) }
        let timeouts = exchange?.request.timeouts
        if totalDeadline <= now { return end(with: .timeout(.total, seconds: timeouts?.total)) }
        if isConnected { return end(with: .timeout(.idle, seconds: timeouts?.idle)) }
        end(with: .timeout(.connect, seconds: connectNanoseconds.map { Double($0) / 1e9 }))
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
