#if os(Linux)
import CMoyaCurl
import MoyaTransport

/// Detects that a connection or a stream was broken off where libcurl sees a complete response.
extension CurlEasy {
    /// Retains the connection on which the request is sent.
    func holdConnectionEnd() {
        moya_connection_end_release(connectionEnd)
        connectionEnd = moya_easy_hold_connection_end(easy, body.length != 0)
        hasEarlyHead = false
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

    /// Records a part of the response, with which a connection does not end.
    func noteDelivery() {
        if let connectionEnd { moya_connection_end_has_delivered(connectionEnd) }
    }

    private func failure(ofBodyEndedBy end: OpaquePointer) -> TransportFailure? {
        guard head.statedLength == nil, ![0, 204, 304].contains(deliveredStatus), exchange?.request.method != "HEAD"
        else { return nil }
        if head.isOfStream {
            // The rest of the request may be the last that is written. Trailers end their stream.
            guard !hasEarlyHead, head.trailers.isEmpty else { return nil }
            let isBrokenOff =
                !CurlVersion.loaded.reportsBrokenOffStreams && moya_connection_end_is_broken_off(end)
            return isBrokenOff || moya_connection_end_is_reset(end) ? .brokenOffStream : nil
        }
        // An attacker on the path may have cut the connection (RFC 9112 section 9.8).
        return head.hasTransferCoding || moya_connection_end_is_announced(end) ? nil : .truncatedBody
    }
}
#endif
