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
        // With bytes that are delivered later, the transfer ends twice.
        if code == CURLE_OK, brokenOff == nil { brokenOff = failureOfEndedBody }
        // libcurl 8.3 to 8.22 takes the end of a stream by the end of the upload for an error, and drops the trailers.
        if code == CURLE_SEND_ERROR, isAnswered, lacksTrailers { brokenOff = .lostRest }
        moya_connection_end_release(connectionEnd.take())
        moya_stream_leave(stream)
    }

    /// `true` if the stream of the response has ended, and all its content has arrived.
    var isStreamWhole: Bool {
        deliveredStatus != 0 && head.isOfStream && moya_stream_get_state(stream) == MOYA_STREAM_ENDED
            && receivedBytes == moya_stream_get_bytes(stream)
            && (head.statedLength ?? receivedBytes) == receivedBytes
    }

    /// `true` if libcurl has not delivered the trailers, which it does once both directions have ended, and not after a
    /// reset.
    var lacksTrailers: Bool {
        moya_stream_has_section(stream, head.count - headsBeforeSending) && !head.hasTrailers
    }

    /// `true` if the response has a body whose length it does not state.
    private var hasBodyOfUnknownLength: Bool {
        head.statedLength == nil && ![0, 204, 304].contains(heldHead?.status ?? deliveredStatus)
            && exchange?.request.method != "HEAD"
    }

    /// `true` if the connection ended before the first byte of a body that ends with it (RFC 9112 section 6.3).
    var isEndedBeforeBody: Bool {
        receivedBytes == 0 && hasBodyOfUnknownLength && !head.isChunked && !head.isOfStream
    }

    private var failureOfEndedBody: TransportFailure? {
        guard hasBodyOfUnknownLength else { return nil }
        if head.isOfStream {
            let isOpen = moya_stream_get_state(stream) == MOYA_STREAM_OPEN
            guard !isOpen else { return .brokenOffStream }
            // libcurl 7.88 drops what it has not delivered when the server resets a stream that has ended.
            let isCut = lacksTrailers && !isBodyRead && body.length != 0
            return isCut || receivedBytes < moya_stream_get_bytes(stream) ? .lostRest : nil
        }
        guard let connectionEnd, !head.isChunked else { return nil }
        // An attacker on the path may have cut the connection (RFC 9112 section 9.8).
        return moya_connection_end_is_announced(connectionEnd) ? nil : .truncatedBody
    }
}

extension TransportFailure {
    fileprivate static let brokenOffStream = TransportFailure(
        .truncated,
        message: "The server reset the stream, or violated HTTP/2, within a response that does not state its length.")

    fileprivate static let lostRest = TransportFailure(
        .truncated,
        message: "The response ended, and libcurl \(CurlVersion.loaded) has not delivered the rest or the trailers.")
}
#endif
