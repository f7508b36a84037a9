#if os(Linux)
import CMoyaCurl
import MoyaTransport

/// Detects a response that is complete while its request's body is still read from a stream, which may never end.
///
/// libcurl then continues to send, unless the status is 400 or higher, and does not report the response. Over HTTP/1.1
/// it stops watching the connection for input. On an HTTP/2 stream, the stated length shows the end, or END_STREAM.
extension CurlEasy {
    /// `true` if the response is complete, but the body is not.
    var isAnsweredEarly: Bool {
        guard case .reader = body, !isBodyRead, !isPaused, deliveredStatus != 0 else {
            return false
        }
        // libcurl delivers trailers once the upload has ended.
        return head.isOfStream ? hasEnded || isStreamWhole && !lacksTrailers : isNotReading && !lacksStatedBytes
    }

    /// `true` if the response is complete, but libcurl still sends the body; then a failure to send changes nothing.
    ///
    /// A server may respond and read no more, even of a body whose end is known.
    var isAnswered: Bool {
        if case .none = body { return false }
        guard deliveredStatus != 0 else { return false }
        return hasEnded || isStreamWhole || (isOnlySending && !isPaused && !head.isOfStream && !lacksStatedBytes)
    }

    /// `true` if bytes are missing of the length that the response states: TLS, too, makes libcurl watch only for output.
    private var lacksStatedBytes: Bool { head.statedLength != nil && !head.isChunked && !hasEnded }

    private var hasEnded: Bool {
        if deliveredStatus == 204 || deliveredStatus == 304 { return true }
        guard !head.isChunked else { return false }
        return head.statedLength.map { $0 <= receivedBytes } ?? false
    }

    /// Handles a change of the events that libcurl watches on the connection.
    func connectionIsWatched(for what: Int32) {
        isNotReading = what == CURL_POLL_REMOVE || what == CURL_POLL_OUT
        if what != CURL_POLL_REMOVE { isOnlySending = what == CURL_POLL_OUT }
        endIfAnswered()
    }

    /// Schedules the transfer to end within this tick, because libcurl allows no removal within a callback.
    func endIfAnswered() {
        if isAnsweredEarly { multi.transferMayEnd(self) }
    }

    /// Handles that libcurl has read the last of the body, which may end an HTTP/2 stream whose response arrived
    /// earlier.
    func bodyIsRead() {
        if deliveredStatus != 0, head.isOfStream { multi.transferMayEnd(self) }
    }

    /// Ends the transfer if its response is complete, or it gets no events; called once libcurl has delivered its data.
    func endIfDue() {
        guard exchange != nil else { return }
        if let ownFailure { return end(with: ownFailure) }
        guard deliveredStatus != 0 else { return }
        if isAnsweredEarly { return end(CURLE_OK) }
        guard isBodyRead, head.isOfStream, !isPaused else { return }
        // libcurl 7.88 checks a stream that its own last frame has ended only on another event.
        curl_easy_pause(easy, CURLPAUSE_RECV)
        curl_easy_pause(easy, CURLPAUSE_CONT)
        multi.eventLoop.touch(multi)
    }
}
#endif
