#if os(Linux)
import CMoyaCurl
import MoyaTransport

/// Detects a request that libcurl keeps for a connection without sending it.
///
/// A server may lower the number of streams to 0 (RFC 9113 section 5.1.2). libcurl 7.88 then leaves a request with the
/// connection until its deadline, and reports nothing.
extension CurlEasy {
    /// The time within which a request has to be on its way over a reused connection with streams.
    private static let timeToSend: UInt64 = 1_000_000_000

    /// Schedules the check of a request that is about to be sent.
    func watchForSending() {
        // libcurl may send again on another connection.
        unsentCheck = nil
        guard let socket, multi.sockets.isMultiplexed(socket), TransportMetrics.isReused(easy) else { return }
        let now = multi.eventLoop.now
        // To a full socket libcurl would send later.
        let sentBytes = multi.sockets.sentBytes(of: socket, at: now)
        guard sentBytes >= 0 else { return }
        let deadline = now &+ Self.timeToSend
        unsentCheck = (sentBytes, deadline)
        multi.watch(deadline: deadline)
    }

    /// Passes the request to libcurl again, for a new connection, if the socket has sent less than a request since.
    func checkForSending() {
        let check = unsentCheck.take()
        defer { multi.watch(deadline: deadline) }
        guard let check, let socket, let connection, let exchange, !resendPolicy.hasHeard,
            case let sentBytes = moya_socket_sent_bytes(socket, 0), sentBytes >= check.sentBytes,
            sentBytes - check.sentBytes < leastBytes(of: exchange), body.seek(to: 0)
        else { return }
        resendPolicy = ResendPolicy()
        wasUnfit = true
        guard restart(after: CURLE_OK) else { return end(with: .outOfResources) }
        self.connection = nil
        exchange.queue.map { multi.avoid(connection, of: $0) }
    }

    /// A lower bound of the bytes of a request in HTTP/2: the head of a frame, a byte for each of its pseudo-header
    /// fields and fields (RFC 7541 section 6.1), and what the shortest TLS record adds.
    ///
    /// Shorter bytes are other frames, such as `WINDOW_UPDATE`.
    private func leastBytes(of exchange: CurlExchange) -> Int64 {
        Int64(9 + 4 + fields.sentCount + (exchange.isOverTLS ? 21 : 0))
    }
}
#endif
