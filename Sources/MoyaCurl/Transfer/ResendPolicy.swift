#if os(Linux)
import CMoyaCurl
import MoyaTransport

/// Decides whether a request may be sent a second time after its connection ended before any byte of a response.
///
/// The server may have acted on it by then, so only an idempotent request is sent again automatically (RFC 9110 section
/// 9.2.2), and any whose HTTP/2 stream the server has refused, which says that it has not (RFC 9113 section 8.7). libcurl
/// itself resends a request whose reused connection broke or whose stream was refused, and does not report which.
struct ResendPolicy {
    /// `true` if the request has been sent.
    private(set) var isSent = false
    /// `true` if the server has answered since.
    var hasHeard = false
    private var hasRestarted = false

    /// Records that libcurl is about to send the request; `false` if it must not.
    mutating func maySend(_ request: HTTPRequest) -> Bool {
        // A request after a response, such as one that answers a challenge, is a new request.
        let isAgain = isSent && !hasHeard
        isSent = true
        hasHeard = false
        return !isAgain || HTTPRequest.isIdempotent(request.method)
    }

    /// Records that the server has refused the stream of the last request, which it has not processed.
    mutating func streamWasRefused() { isSent = false }

    /// `true` to send a refused request again, once, after libcurl has lost its stream.
    mutating func mayRestartRefused(_ request: HTTPRequest, after code: CURLcode) -> Bool {
        guard Self.isLoss(code), isSent, !hasHeard, !hasRestarted, request.authentication == nil else { return false }
        hasRestarted = true
        isSent = false
        return true
    }

    private static func isLoss(_ code: CURLcode) -> Bool {
        switch code {
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_HTTP2, CURLE_HTTP2_STREAM:
            true
        default: false
        }
    }

    /// `true` to send the request again on a new connection, after libcurl has failed.
    ///
    /// libcurl counts its resends over the life of a handle, and never resends over HTTP/2.
    ///
    /// - Parameter wasReused: `true` if its last connection was a reused one.
    mutating func mayRestart(_ request: HTTPRequest, after code: CURLcode, wasReused: Bool) -> Bool {
        Self.isLoss(code) && code != CURLE_HTTP2_STREAM && wasReused && mayRestart(request)
    }

    /// `true` to send the request again, once, although the server may have received it.
    mutating func mayRestart(_ request: HTTPRequest) -> Bool {
        guard isSent, !hasHeard, !hasRestarted, request.authentication == nil else { return false }
        hasRestarted = HTTPRequest.isIdempotent(request.method)
        return hasRestarted
    }
}
#endif
