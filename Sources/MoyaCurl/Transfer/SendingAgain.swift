#if os(Linux)
import CMoyaCurl
import MoyaTransport

/// What is known of a request that may have to be sent again, because its connection ended before any byte of a response.
///
/// The server may have acted on it by then. A client should not repeat by itself what is not idempotent (RFC 9110
/// section 9.2.2), unless it knows that it was not processed: a refused HTTP/2 stream says so (RFC 9113 section 8.7).
/// libcurl sends again where a used connection broke or a stream was refused, gives up at the sixth time in the life of a
/// handle, and does not say which of the two it was. But it has words for an HTTP/2 connection that broke, and none for a
/// stream that was refused. It has none either for a stream that was reset in the last bytes of its connection.
struct SendingAgain {
    /// Whether a connection may speak HTTP/2, by its local port.
    typealias HasStreams = (Int32) -> Bool

    private var sentFrom: Int32?
    private var rounds = 0
    /// Whether a server had the request when its connection broke.
    private var mayHaveBeenTaken = false
    /// Whether the server has said anything since.
    var hasHeard = false

    /// Each is up to six times that it is sent: few are refused so often, even where a connection takes ten streams and two
    /// hundred wait for one.
    private static let mostRounds = 4

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
            || (Self.isSilentWhenRefused && hasStreams(sentFrom) && Self.tellOfNoBreak(words()))
    }

    /// Takes that libcurl has given the request up.
    ///
    /// - Parameter wasReused: Whether its last connection had been used before.
    /// - Returns: Whether to hand it to libcurl once more.
    mutating func noteGivenUp(
        _ request: TransportRequest, after code: CURLcode, words: String, wasReused: Bool, hasStreams: HasStreams
    ) -> Bool {
        guard let sentFrom, !hasHeard, request.authentication == nil, rounds < Self.mostRounds else { return false }
        rounds += 1
        let isIdempotent = Self.isIdempotent(request.method)
        let isRefused = Self.isSilentWhenRefused && hasStreams(sentFrom)
        switch code {
        case CURLE_SEND_ERROR where Self.isGivenUp(words), CURLE_RECV_ERROR where Self.isGivenUp(words):
            mayHaveBeenTaken = mayHaveBeenTaken || !isRefused
            return isIdempotent || isRefused
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

    /// Whether libcurl has said nothing, or only that the server wants HTTP/1.1 (RFC 9113 section 7).
    ///
    /// Of a new connection it then says that there was no reply, and sends the request all the same.
    private static func tellOfNoBreak(_ words: String) -> Bool {
        words.isEmpty || words.contains("HTTP_1_1_REQUIRED") || words.hasPrefix("Empty reply from server")
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
