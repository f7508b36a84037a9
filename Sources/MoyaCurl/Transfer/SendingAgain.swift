#if os(Linux)
import MoyaTransport

/// What is known of a request that libcurl may send again by itself, which it does where a used connection breaks before
/// any byte of a response.
///
/// The server may have acted on it by then. A client should not repeat by itself what is not idempotent (RFC 9110
/// section 9.2.2), unless it knows that it was not processed: a refused HTTP/2 stream says so (RFC 9113 section 8.7).
struct SendingAgain {
    private var sentFrom: Int32?
    /// Whether the server has said anything since.
    var hasHeard = false

    /// Takes that the request is about to be sent.
    ///
    /// - Parameter hasStreams: Tells of a local port whether its connection may speak HTTP/2.
    /// - Returns: `false` when it must not be.
    mutating func maySend(
        _ request: TransportRequest, fromPort port: Int32, hasStreams: (Int32) -> Bool
    ) -> Bool {
        defer { sentFrom = port }
        guard let sentFrom, !hasHeard, request.authentication == nil else { return true }
        return Self.isIdempotent(request.method) || hasStreams(sentFrom)
    }

    /// The port of this machine that the request was sent from last.
    var port: Int32 { sentFrom ?? 0 }

    /// RFC 9110 section 9.2.2.
    private static func isIdempotent(_ method: String) -> Bool {
        switch method {
        case "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE": true
        default: false
        }
    }
}
#endif
