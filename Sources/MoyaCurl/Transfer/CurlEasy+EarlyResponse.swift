#if os(Linux)
import CMoyaCurl
import MoyaTransport

/// A response that is whole while its request's body is yet to be read from a stream, which may never end.
///
/// libcurl goes on sending then, unless the status is 400 or higher, and does not tell. Over HTTP/1.1 it no longer watches
/// the connection for anything to read. Of a stream of HTTP/2 the stated length shows the end; without it nothing does, and
/// the idle bound ends the transfer.
extension CurlEasy {
    /// `true` if the response is whole, and the body is not.
    var isAnsweredEarly: Bool {
        guard case .reader = body, !isBodyRead, !isPaused, deliveredStatus != 0, deliveredStatus != 417 else {
            return false
        }
        return head.isOfStream ? hasEnded : isNotReading
    }

    private var hasEnded: Bool {
        if deliveredStatus == 204 || deliveredStatus == 304 { return true }
        return head.statedLength.map { $0 <= receivedBytes } ?? false
    }

    /// Takes that libcurl watches the connection for something else than before.
    func connectionIsWatched(for what: Int32) {
        isNotReading = what == CURL_POLL_REMOVE || what == CURL_POLL_OUT
        endIfAnswered()
    }

    /// Has the transfer end before the tick is over, because libcurl lets none go within a callback.
    func endIfAnswered() {
        if isAnsweredEarly { connections.transferIsAnswered(self) }
    }

    /// Takes that libcurl has the last of the body, which may end a stream of HTTP/2 whose response was there before.
    func bodyIsRead() {
        if deliveredStatus != 0, head.isOfStream { connections.transferIsAnswered(self) }
    }

    /// Ends the transfer if its response is whole; called once libcurl has delivered what it has.
    func endAnswered() {
        guard exchange != nil, deliveredStatus != 0 else { return }
        if isAnsweredEarly { return end(CURLE_OK) }
        guard isBodyRead, head.isOfStream, !isPaused else { return }
        // libcurl 7.88 looks at a stream that its own last frame has ended only when something else has it look.
        curl_easy_pause(easy, CURLPAUSE_RECV)
        curl_easy_pause(easy, CURLPAUSE_CONT)
        connections.eventLoop.touch(connections)
    }
}
#endif
