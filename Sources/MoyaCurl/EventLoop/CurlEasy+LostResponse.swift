#if os(Linux)
import CMoyaCurl
import MoyaTransport

/// Detects a response over HTTP/2 that libcurl has lost, since its server did not wait for the body.
///
/// Such a server sends RST_STREAM with NO_ERROR after the response, which must then not be discarded (RFC 9113 section
/// 8.1). libcurl 7.88 discards it if it reads both at once. It then fails to send more of the body, without a message;
/// if only the end of the body is left, it ends as if there were no response.
extension CurlEasy {
    /// `true` if libcurl has lost the response to a request with a body.
    func hasLostResponse(_ code: CURLcode) -> Bool {
        if case .none = body { return false }
        guard !resendPolicy.hasHeard, heldHead == nil else { return false }
        if avoidsStreams { return true }
        switch code {
        case CURLE_OK, CURLE_GOT_NOTHING: return isOnStream && !options.presumesHTTP2
        case CURLE_HTTP2_STREAM: return hasNoErrorText
        default: return false
        }
    }

    /// `true` to send the request again over HTTP/1.1, where an early response is not lost.
    func mayAvoidStreams(for request: HTTPRequest, after code: CURLcode) -> Bool {
        guard options.maySpeakHTTP2, !options.presumesHTTP2, hasLostResponse(code), resendPolicy.mayRestart(request)
        else { return false }
        avoidsStreams = true
        return true
    }
}

extension TransportFailure {
    /// The failure of a request that may not be sent again, or to which the server does not respond over HTTP/1.1.
    static let lostResponse = TransportFailure(
        .reset,
        message: "The server responded before it had the whole body, and libcurl \(CurlVersion.loaded) has lost the"
            + " response, as it does over HTTP/2. Use httpVersions: .http1Only, if the server has it.",
        code: Int(CURLE_HTTP2_STREAM.rawValue))
}
#endif
