#if os(Linux)
import CMoyaCurl
import MoyaTransport

/// Detects that a connection or a stream was broken off where libcurl sees a complete response.
extension CurlEasy {
    /// Retains the connection on which the request is sent.
    func holdConnectionEnd() {
        moya_connection_end_release(connectionEnd)
        connectionEnd = moya_easy_hold_connection_end(easy)
    }

    /// Releases the connection after the transfer, and records whether its end is that of the body.
    ///
    /// Called as soon as libcurl ends the transfer, since the connection may then serve another one, while this one's
    /// reader is paused.
    func releaseConnectionEnd(after code: CURLcode? = nil) {
        if code == CURLE_OK { brokenOff = failureOfEndedBody }
        moya_connection_end_release(connectionEnd.take())
    }

    private var failureOfEndedBody: TransportFailure? {
        guard head.statedLength == nil, ![0, 204, 304].contains(deliveredStatus), exchange?.request.method != "HEAD"
        else { return nil }
        guard !head.isOfStream else {
            return moya_stream_get_state(stream) == MOYA_STREAM_OPEN ? .brokenOffStream : nil
        }
        guard let connectionEnd, !head.hasTransferCoding else { return nil }
        // An attacker on the path may have cut the connection (RFC 9112 section 9.8).
        return moya_connection_end_is_announced(connectionEnd) ? nil : .truncatedBody
    }
}
#endif
