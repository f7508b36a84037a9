#if os(Linux)
import CMoyaCurl
import MoyaTransport

/// What is known of a request that may have to be sent again, because its connection ended before any byte of a response.
///
/// The server may have acted on it by then. A client should not repeat by itself what is not idempotent (RFC 9110
/// section 9.2.2), unless it knows that it was not processed: a refused HTTP/2 stream says so (RFC 9113 section 8.7).
/// libcurl sends again where a used connection broke or a stream was refused, up to five times, and does not say which of
/// the two it was; but it has words for a connection that broke, and none for a stream that was refused.
struct SendingAgain {
    /// Whether a connection may speak HTTP/2, by its local port.
    typealias HasStreams = (Int32) -> Bool

    private var sentFrom: Int32?
    private var rounds = 0
    /// Whether a server had the request when its connection broke.
    private var mayHaveBeenTaken = false
    /// Whether the server has said anything since.
    var hasHeard = false

    /// A connection that carries ten streams refuses ninety of a hundred calls at a time: few are refused so often.
    private static let mostRounds = 16

    /// The port of this machine that the request was sent from last.
    var port: Int32 { sentFrom ?? 0 }

    /// Takes that libcurl is about to send the request.
    ///
    /// - Parameter words: What libcurl has said of the exchange so far.
    /// - Returns: `false` when it must not be sent.
    mutating func maySend(
        _ request: TransportRequest, fromPort port: Int32, words: @autoclosure () -> String, hasStreams: HasStreams
    ) -> Bool {
        defer { sentFrom = port }
        guard let sentFrom, !hasHeard, request.authentication == nil else { return true }
        return Self.isIdempotent(request.method)
            || (Self.isSilentWhenRefused && hasStreams(sentFrom) && words().isEmpty)
    }

    /// Takes that libcurl has given the request up.
    ///
    /// - Parameter wasReused: Whether its last connection had been used before.
    /// - Returns: Whether to hand it to libcurl once more.
    mutating func beginsAgain(
        _ request: TransportRequest, after code: CURLcode, words: String, wasReused: Bool, hasStreams: HasStreams
    ) -> Bool {
        guard let sentFrom, !hasHeard, request.authentication == nil, rounds < Self.mostRounds, hasStreams(sentFrom)
        else { return false }
        rounds += 1
        let isIdempotent = Self.isIdempotent(request.method)
        switch code {
        case CURLE_SEND_ERROR where Self.isGivenUp(words), CURLE_RECV_ERROR where Self.isGivenUp(words):
            mayHaveBeenTaken = mayHaveBeenTaken || !Self.isSilentWhenRefused
            return isIdempotent || Self.isSilentWhenRefused
        // libcurl sends again by itself what went over HTTP/1.1, and not what went over HTTP/2.
        case CURLE_PARTIAL_FILE, CURLE_HTTP2_STREAM:
            mayHaveBeenTaken = true
            return wasReused && isIdempotent && words.contains("before end of the underlying stream")
        // The connection was ending when the stream was made.
        case CURLE_HTTP2 where words.isEmpty:
            mayHaveBeenTaken = true
            return isIdempotent
        default:
            return false
        }
    }

    /// Whether the request, for which no connection came about in the end, was refused wherever it was sent before.
    func wasOnlyRefused(words: String, hasStreams: HasStreams) -> Bool {
        guard let sentFrom, !hasHeard, !mayHaveBeenTaken, Self.isSilentWhenRefused, hasStreams(sentFrom) else {
            return false
        }
        // Its first words are kept: had a connection broken, they would be about that.
        return ["Failed to connect to ", "Could not resolve ", "OpenSSL SSL_connect: "].contains { words.hasPrefix($0) }
    }

    /// Whether libcurl has sent the request as often as it does, and said nothing before that.
    private static func isGivenUp(_ words: String) -> Bool { words.hasPrefix("Connection died, tried ") }

    /// Later versions have not been looked at.
    private static let isSilentWhenRefused = !CurlLibrary.isAtLeast(0x080000)

    /// RFC 9110 section 9.2.2.
    private static func isIdempotent(_ method: String) -> Bool {
        switch method {
        case "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE": true
        default: false
        }
    }
}
#endif
