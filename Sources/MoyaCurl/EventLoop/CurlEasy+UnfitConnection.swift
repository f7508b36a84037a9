#if os(Linux)
import CMoyaCurl
import MoyaTransport

/// Refuses a connection that libcurl has chosen for a request, although it has ended or has bytes that answer nothing.
///
/// The request has not been sent, and starts again on a new connection.
extension CurlEasy {
    /// `true` if the request must not be sent on the connection; libcurl then closes it.
    func refuses(_ connection: ConnectionID, isOverTLS: Bool) -> Bool {
        wasUnfit = isUnfit(connection, isOverTLS: isOverTLS)
        guard wasUnfit else { return false }
        self.connection = nil
        // Otherwise libcurl would keep a connection with streams, and choose it again.
        forbidReuse()
        return true
    }

    /// Makes libcurl close the connection after this attempt.
    func forbidReuse() {
        forbidsReuse = true
        moya_easy_set_long(easy, CURLOPT_FORBID_REUSE, 1)
    }

    /// `true` if libcurl has sent nothing because the connection has answered with HTTP/1.0, which knows no body of
    /// unknown length.
    func isRefusalOfLength(_ code: CURLcode) -> Bool {
        code == CURLE_UPLOAD_FAILED && sentBytes == 0 && !resendPolicy.hasHeard && body.length == nil
    }

    /// Marks the connection as unfit if it is the reason for a refusal; a request that was not sent may be sent again.
    ///
    /// Another connection to the same host may lead to a server of HTTP/1.1.
    func discountRefusal(_ code: CURLcode) {
        guard isRefusalOfLength(code), TransportMetrics.isReused(easy) else { return }
        resendPolicy = ResendPolicy()
        wasUnfit = true
    }

    /// `true` if the transfer may share its connection with no other.
    var needsConnectionAlone: Bool { body.length == nil && options.maySpeakHTTP2 && CurlVersion.loaded.mixesStreams }

    private func isUnfit(_ connection: ConnectionID, isOverTLS: Bool) -> Bool {
        // A local function, since a closure in a constant would be allocated for every connection that is reused.
        func isInUse() -> Bool { connection != .unknown && multi.hasTransfer(besides: self, on: connection) }
        if needsConnectionAlone, isInUse() { return true }
        if let queue = exchange?.queue, queue.silentConnections.contains(connection) { return true }
        // Once another connection of the host has streams, libcurl 7.88 sends a request also on one of HTTP/1.1 in use: the
        // responses would be swapped.
        if isOverTLS, exchange?.queue?.hasHadStreams ?? true, TransportMetrics.isReused(easy),
            !moya_easy_has_streams(easy), isInUse()
        {
            return true
        }
        if multi.sockets.isUnfit(
            connection, silentSince: exchange?.queue?.silentSince ?? 0, isReused: TransportMetrics.isReused(easy),
            isInUse: isInUse())
        {
            return true
        }
        // libcurl from 8.15 on lets OpenSSL read ahead, and does not look at those bytes.
        guard isOverTLS, TransportMetrics.isReused(easy), moya_easy_has_unread_bytes(easy) else { return false }
        return !moya_easy_has_streams(easy) || (!multi.sockets.isOwedFrames(on: connection) && !isInUse())
    }

    /// Records that the transfer no longer uses its connection.
    ///
    /// - Parameter isWhole: `false` if the rest of a response may still arrive.
    func leaveConnection(isWhole: Bool) {
        guard let connection = connection.take() else { return }
        multi.sockets.transferEnded(
            ObjectIdentifier(self), on: connection, isOwedFrames: !isWhole || body.length != 0, at: multi.eventLoop.now)
    }
}
#endif
