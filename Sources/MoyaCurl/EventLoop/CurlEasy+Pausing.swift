#if os(Linux)
import CMoyaCurl
import MoyaTransport

/// Pauses and resumes a transfer.
extension CurlEasy {
    enum Pause {
        /// The reader takes no more for now.
        case reader
        /// The decoder's step is over.
        case decoder
    }

    var isPaused: Bool { pause != nil }

    func resume() {
        guard isPaused else { return }
        pause = nil
        recordActivity()
        deliverKept()
        if let ownFailure { return end(with: ownFailure) }
        guard !isPaused else { return }
        if let code = keptEnd.take() { return end(code) }
        kept.isFilling = true
        // A paused transfer is not watched for input either.
        isOnlySending = false
        curl_easy_pause(easy, CURLPAUSE_CONT)
        kept.isFilling = false
        // libcurl 7.88 neither ends a transfer whose callback failed within that call, nor watches its socket again.
        if let ownFailure { return end(with: ownFailure) }
        endIfAnswered()
        multi.eventLoop.touch(multi)
    }

    /// Resumes sending, once the body has more bytes.
    func resumeSending() {
        // Receiving may be paused independently, but not before the head: libcurl would keep its lines, and hand them over as
        // one.
        curl_easy_pause(easy, isPaused && deliveredStatus != 0 ? CURLPAUSE_RECV : CURLPAUSE_CONT)
        multi.eventLoop.touch(multi)
    }
}
#endif
