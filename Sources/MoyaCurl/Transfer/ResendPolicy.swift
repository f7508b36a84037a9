#if os(Linux)
import CMoyaCurl
import MoyaTransport

/// Decides whether a request may be sent a second time after its connection ended before any byte of a response.
///
/// The server may have acted on it by then, so only an idempotent request is sent again by itself (RFC 9110 section
/// 9.2.2). libcurl sends again by itself what it wrote to a used connection that broke, or to a stream that was
/// refused, and does not say which of the two it was.
struct ResendPolicy {
    /// `true` if the request has been sent.
    private(set) var isSent = false
    /// `true` if the server has answered anything since.
    var hasHeard = false
    private var hasRestarted = false

    /// Records that libcurl is about to send the request; `false` when it must not.
    mutating func maySend(_ request: HTTPRequest) -> Bool {
        // A request after a response, such as one that answers a challenge, is another request.
        let isAgain = isSent && !hasHeard
        isSent = true
        hasHeard = false
        return !isAgain || HTTPRequest.isIdempotent(request.method)
    }

    /// `true` to send the request once more, on a new connection, after libcurl has given it up.
    ///
    /// libcurl counts what it sends again over the life of a handle, and does not send again at all over HTTP/2.
    ///
    /// - Parameter wasReused: `true` if its last connection had been used before.
    mutating func mayRestart(_ request: HTTPRequest, after code: CURLcode, wasReused: Bool) -> Bool {
        guard isSent, !hasHeard, !hasRestarted, wasReused, request.authentication == nil else { return false }
        switch code {
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_HTTP2: break
        default: return false
        }
        hasRestarted = HTTPRequest.isIdempotent(request.method)
        return hasRestarted
    }
}
#endif
