public import Foundation
public import MoyaSession
import MoyaTransport

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// The response to a call.
public final class Response: CustomDebugStringConvertible, Equatable, Sendable {
    /// The status code.
    public let statusCode: Int
    /// The body; empty for a download.
    public let data: Data

    /// The origin of ``response``.
    package enum Source: Sendable {
        case given(HTTPURLResponse?)
        /// Foundation's response takes longer to create than everything else, and many callers never read it.
        case head(TransportResponseHead, ExchangeLocation?)
        /// The response made of a head.
        case made(HTTPURLResponse?)
    }

    private let source: Lock<Source>
    private let sent: (any URLRequestConvertible)?
    /// The body of a streamed response, whose ``data`` is empty.
    let body: StreamHandle?
    private let trailerLines: [HTTPField]
    /// The names, in lower case, of the fields that are credentials because the app or an interceptor says so.
    let declaredCredentials: Set<String>

    /// Makes a response.
    public init(statusCode: Int, data: Data, request: URLRequest? = nil, response: HTTPURLResponse? = nil) {
        self.statusCode = statusCode
        self.data = data
        sent = request
        body = nil
        trailerLines = []
        declaredCredentials = []
        source = Lock(.given(response))
    }

    /// Makes a response whose `URLRequest`, and `HTTPURLResponse` of a head, are created lazily.
    package init(
        statusCode: Int, data: Data, sent: (any URLRequestConvertible)?, source: Source, body: StreamHandle? = nil,
        trailers: [HTTPField] = [], declaredCredentials: Set<String> = []
    ) {
        self.statusCode = statusCode
        self.data = data
        self.sent = sent
        self.body = body
        trailerLines = trailers
        self.declaredCredentials = declaredCredentials
        self.source = Lock(source)
    }

    /// Returns this response with other data.
    package func with(_ data: Data) -> Response {
        Response(
            statusCode: statusCode, data: data, sent: sent, source: source.withLock { $0 }, trailers: trailerLines,
            declaredCredentials: declaredCredentials)
    }

    /// Returns this response with the body of a streamed one.
    func with(_ body: StreamHandle) -> Response {
        Response(
            statusCode: statusCode, data: data, sent: sent, source: source.withLock { $0 }, body: body,
            declaredCredentials: declaredCredentials)
    }

    /// The request as first sent, before any redirect; ``response`` has the final URL.
    public var request: URLRequest? { sent?.urlRequest }

    /// The Foundation response; `nil` for a stub with only a status code and a body.
    public var response: HTTPURLResponse? {
        source.withLock { source in
            switch source {
            case .given(let response), .made(let response): return response
            case .head(let head, let location):
                let response = (location?.url).flatMap { HTTPURLResponse(head: head, url: $0) }
                source = .made(response)
                return response
            }
        }
    }

    /// The header fields; empty for a stub with only a status code and a body.
    public var headers: HTTPHeaders { response?.headers ?? HTTPHeaders() }

    /// The trailer fields after the body (RFC 9110 section 6.5).
    ///
    /// They are available if the server sends them and the transport supports them: the libcurl transport does,
    /// `URLSession` does not. For a streamed response, they are available once its body was read to the end. Values
    /// with the same name are joined with commas.
    public var trailers: HTTPHeaders { body?.trailers ?? HTTPHeaders(joining: trailerLines) }

    /// The use of an `HTTPCache` for the response, by the last member of its `Cache-Status` field (RFC 9211); `nil` if
    /// another cache, or none, wrote it.
    ///
    /// A session without a cache passes on the field of the server, which may itself use an `HTTPCache`.
    public var cacheStatus: CacheStatus? {
        source.withLock { source in
            switch source {
            case .given(let response), .made(let response): response?.cacheStatus
            case .head(let head, _): head.cacheStatus
            }
        }
    }

    /// The status code and the length of the body.
    public var description: String { "Status Code: \(statusCode), Data Length: \(data.count)" }

    /// The status code and the length of the body.
    public var debugDescription: String { description }

    /// `true` if both have the same status code, body and `HTTPURLResponse`; the requests are ignored.
    public static func == (lhs: Response, rhs: Response) -> Bool {
        lhs === rhs
            || lhs.statusCode == rhs.statusCode && lhs.data == rhs.data && lhs.response == rhs.response
                && lhs.fields == rhs.fields
    }

    /// The header fields, which `HTTPURLResponse` does not compare on Linux.
    private var fields: [String: String]? { response?.allHeaderFields as? [String: String] }
}
