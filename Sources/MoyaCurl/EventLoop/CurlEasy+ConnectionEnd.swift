#if os(Linux)
import CMoyaCurl
import MoyaTransport

/// Detects that a connection was broken off where libcurl sees a complete response.
extension CurlEasy {
    /// Retains the connection on which the request is sent.
    func holdConnectionEnd() {
        moya_connection_end_release(connectionEnd)
        connectionEnd = moya_easy_hold_connection_end(easy, !CurlVersion.loaded.reportsBrokenOffStreams)
    }

    /// Releases the connection after the transfer, and records whether its end is that of the body.
    ///
    /// Called as soon as libcurl ends the transfer, since the connection may then serve another one, while this one's
    /// reader is paused.
    func releaseConnectionEnd(after code: CURLcode? = nil) {
        guard let end = connectionEnd.take() else { return }
        if code == CURLE_OK { brokenOff = failure(ofBodyEndedBy: end) }
        moya_connection_end_release(end)
    }

    /// Releases the connection of a stream that is answered before its request is sent: the rest of the request may be
    /// the last that is written.
    func watchOnlyWholeRequests() {
        if body.length != 0, !isBodyRead { releaseConnectionEnd() }
    }

    private func failure(ofBodyEndedBy end: OpaquePointer) -> TransportFailure? {
        guard head.statedLength == nil, ![0, 204, 304].contains(deliveredStatus), exchange?.request.method != "HEAD"
        else { return nil }
        if head.isOfStream {
            // Trailers end their stream.
            return head.trailers.isEmpty && moya_connection_end_is_broken_off(end) ? .brokenOffStream : nil
        }
        // An attacker on the path may have cut the connection (RFC 9112 section 9.8).
        return head.hasTransferCoding || moya_connection_end_is_announced(end) ? nil : .truncatedBody
    }
}
#endif
